import Coordination
import MCP
import Transcripts

/// The calls that have no outcome yet, by number.
struct PendingCalls {
  private struct Call {
    let caller: MCPCaller
    let continuation: CheckedContinuation<MCPConnection.Outcome, Never>
    var lastShown: ContinuousClock.Instant?
  }

  /// How often the progress of a call is shown at most.
  private static let interval = Duration.milliseconds(250)

  private var last = 0
  private var waiting: [Int: Call] = [:]

  var numbers: [Int] { waiting.keys.sorted() }

  mutating func nextNumber() -> Int {
    last += 1
    return last
  }

  mutating func wait(
    _ continuation: CheckedContinuation<MCPConnection.Outcome, Never>,
    for number: Int,
    of caller: MCPCaller
  ) {
    waiting[number] = Call(caller: caller, continuation: continuation)
  }

  /// Who made a call; `nil` once it has an outcome.
  func caller(of number: Int) -> MCPCaller? { waiting[number]?.caller }

  /// Shows how far a call has come, unless that was shown just before.
  mutating func show(_ progress: ToolProgress, of number: Int, at now: ContinuousClock.Instant) {
    guard let call = waiting[number] else { return }
    if let last = call.lastShown, now - last < Self.interval { return }
    waiting[number]?.lastShown = now
    call.caller.show(progress)
  }

  /// - Returns: Whether the call had no outcome before.
  @discardableResult
  mutating func finish(_ number: Int, _ outcome: MCPConnection.Outcome) -> Bool {
    guard let call = waiting.removeValue(forKey: number) else { return false }
    call.continuation.resume(returning: outcome)
    return true
  }
}
