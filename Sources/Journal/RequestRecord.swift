import Transcripts

/// The usage of the model request that produced an entry.
package struct RequestRecord: Sendable, Equatable, Codable {
  package var tokensIn: Int
  /// The part of `tokensIn` that had been computed before.
  package var tokensCached: Int
  package var tokensOut: Int
  package var secondsToFirstToken: Double
  package var seconds: Double
  /// Where and why less was reused than was cached; `nil` when nothing was lost.
  package var cacheBreak: String?
  /// The window of the model; `nil` when unknown.
  package var contextSize: Int?

  package init(
    tokensIn: Int,
    tokensCached: Int,
    tokensOut: Int,
    secondsToFirstToken: Double,
    seconds: Double,
    cacheBreak: String? = nil,
    contextSize: Int? = nil
  ) {
    self.tokensIn = tokensIn
    self.tokensCached = tokensCached
    self.tokensOut = tokensOut
    self.secondsToFirstToken = secondsToFirstToken
    self.seconds = seconds
    self.cacheBreak = cacheBreak
    self.contextSize = contextSize
  }
}

extension RequestRecord {
  /// Reads a record as it is in the journal.
  init(journaled text: String) throws {
    self = try Payload.decode(text)
    try ImplausibleValue.refuse(implausibleFigure)
  }
}

extension RequestRecord: SpelledRequest {}
