/// What one request to a model took.
package struct RequestUsage: Codable, Sendable, Equatable {
  package var tokensIn: Int
  package var tokensCached: Int
  package var tokensOut: Int
  /// How many of the tokens out were reasoning; `nil` for none.
  package var reasoningTokens: Int?
  package var secondsToFirstToken: Double
  package var seconds: Double
  /// The seconds before the model's own work in which other processes had the cores.
  ///
  /// The time to the first token begins after them. `nil` where there were none.
  package var secondsWaited: Double?
  /// The window of the model that was asked; `nil` when unknown.
  package var contextSize: Int?
  /// Why less was cached than there was; `nil` when nothing was lost.
  package var cacheBreak: CacheBreak?

  package init(
    tokensIn: Int = 0,
    tokensCached: Int = 0,
    tokensOut: Int = 0,
    reasoningTokens: Int? = nil,
    secondsToFirstToken: Double = 0,
    seconds: Double = 0,
    secondsWaited: Double? = nil,
    cacheBreak: CacheBreak? = nil,
    contextSize: Int? = nil
  ) {
    self.tokensIn = tokensIn
    self.tokensCached = tokensCached
    self.tokensOut = tokensOut
    self.reasoningTokens = reasoningTokens
    self.secondsToFirstToken = secondsToFirstToken
    self.seconds = seconds
    self.secondsWaited = secondsWaited
    self.cacheBreak = cacheBreak
    self.contextSize = contextSize
  }

  package static func += (left: inout RequestUsage, right: RequestUsage) {
    left.tokensIn += right.tokensIn
    left.tokensCached += right.tokensCached
    left.tokensOut += right.tokensOut
    left.addReasoning(of: right)
    // The first token that a person waits for is the first request's.
    if left.secondsToFirstToken == 0 { left.secondsToFirstToken = right.secondsToFirstToken }
    left.seconds += right.seconds
    if let more = right.secondsWaited { left.secondsWaited = (left.secondsWaited ?? 0) + more }
    left.contextSize = right.contextSize ?? left.contextSize
    left.cacheBreak = left.cacheBreak ?? right.cacheBreak
  }
}

extension RequestUsage {
  /// Adds the tokens of others, but not their times and caches.
  package mutating func addTokens(of others: RequestUsage) {
    tokensIn += others.tokensIn
    tokensCached += others.tokensCached
    tokensOut += others.tokensOut
    addReasoning(of: others)
  }

  private mutating func addReasoning(of others: RequestUsage) {
    guard let more = others.reasoningTokens else { return }
    reasoningTokens = (reasoningTokens ?? 0) + more
  }
}

extension RequestUsage: CustomStringConvertible {
  /// The usage, for a log.
  package var description: String {
    let computed = tokensIn - tokensCached
    let usage =
      "\(tokensIn) tokens in (\(tokensCached) cached, \(computed) computed), \(tokensOut) out;"
      + " first token after \(secondsToFirstToken.wholeMilliseconds) ms of"
      + " \(seconds.wholeMilliseconds) ms"
      + (secondsWaited.map { ", \($0.wholeMilliseconds) ms before it without a core" } ?? "")
    return cacheBreak.map { "\(usage); \($0)" } ?? usage
  }
}
