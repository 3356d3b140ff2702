import Journal
import Transcripts

/// The combined usage of several model requests.
struct TokenTotal: Encodable, Equatable {
  var tokensIn = 0
  var tokensCached = 0
  var tokensOut = 0

  init(_ request: RequestRecord) {
    tokensIn = request.tokensIn
    tokensCached = request.tokensCached
    tokensOut = request.tokensOut
  }

  init(sum totals: [TokenTotal]) {
    for total in totals {
      tokensIn += total.tokensIn
      tokensCached += total.tokensCached
      tokensOut += total.tokensOut
    }
  }
}

extension TokenTotal: CustomStringConvertible {
  var description: String {
    "\(tokensIn.counted("token")) in: \(tokensCached) cached, \(tokensIn - tokensCached) computed;"
      + " \(tokensOut) out"
  }
}

extension TranscriptTree.Entry {
  /// The requests made for the entry and for what was written after it.
  var requests: [RequestRecord] { [request].compactMap { $0 } + written.compactMap(\.request) }
}

extension TranscriptTree.Turn {
  /// The cost on one line.
  var line: String {
    guard ofFriends != TokenTotal(sum: []) else { return "in total, \(total)" }
    return "in total, \(total); of these, friends used \(ofFriends)"
  }
}
