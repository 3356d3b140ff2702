package import Transcripts

/// The combined usage of several model requests.
package struct TokenTotal: Codable, Sendable, Equatable {
  package var tokensIn = 0
  package var tokensCached = 0
  package var tokensOut = 0
  /// How many of the tokens out were reasoning; `nil` for none.
  package var reasoningTokens: Int?

  package init(_ request: RequestUsage) {
    tokensIn = request.tokensIn
    tokensCached = request.tokensCached
    tokensOut = request.tokensOut
    reasoningTokens = request.reasoningTokens
  }

  package init(sum totals: [TokenTotal]) {
    for total in totals {
      tokensIn += total.tokensIn
      tokensCached += total.tokensCached
      tokensOut += total.tokensOut
      if let more = total.reasoningTokens { reasoningTokens = (reasoningTokens ?? 0) + more }
    }
  }
}

extension TranscriptTree.Entry {
  /// The requests made for the entry and for what was written after it.
  package var requests: [RequestUsage] {
    [request].compactMap { $0 } + written.compactMap(\.request)
  }
}
