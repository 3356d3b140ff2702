import MCP

/// The calls that have no outcome yet, by number.
struct PendingCalls {
  private var last = 0
  private var waiting: [Int: CheckedContinuation<MCPConnection.Outcome, Never>] = [:]

  var numbers: [Int] { waiting.keys.sorted() }

  mutating func nextNumber() -> Int {
    last += 1
    return last
  }

  mutating func wait(
    _ continuation: CheckedContinuation<MCPConnection.Outcome, Never>,
    for number: Int
  ) {
    waiting[number] = continuation
  }

  /// - Returns: Whether the call had no outcome before.
  @discardableResult
  mutating func finish(_ number: Int, _ outcome: MCPConnection.Outcome) -> Bool {
    guard let continuation = waiting.removeValue(forKey: number) else { return false }
    continuation.resume(returning: outcome)
    return true
  }
}

extension MCPFault {
  /// The fault in words that may follow "because".
  var words: String {
    switch self {
    case .silent(let seconds): "it did not answer within \(seconds) s."
    case .unsupportedVersion(let version):
      "it speaks another version of the protocol, '\(version.prefix(64))'."
    case .refused(let error): "it refused to begin: \(error.message.prefix(200))"
    case .noList(let error?): "it did not list its tools: \(error.message.prefix(200))"
    case .noList(nil): "it did not list its tools in time."
    }
  }
}

extension MCPServerError {
  /// The problem without the server's name.
  var problem: String {
    if case .unavailable(_, let problem) = self { problem } else { description }
  }
}
