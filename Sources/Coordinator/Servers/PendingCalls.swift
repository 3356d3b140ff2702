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
