package import AgentKit

extension RequestRecord: Spelled {
  package func spell(to speller: inout JSONSpeller) -> Bool {
    guard cacheBreak == nil else { return false }
    return speller.writeRequest(
      tokens: (tokensIn, tokensCached, tokensOut),
      contextSize: contextSize,
      secondsToFirstToken: secondsToFirstToken,
      seconds: seconds
    )
  }

  /// They are read too seldom for it.
  package static func read(from scanner: inout JSONScanner) -> Self? { nil }
}
