/// The prompts that wait for the one before them.
struct TurnQueue {
  static let maximum = 16

  enum Place {
    case first
    case waits(Int)
    case full
  }

  private var isBusy = false
  private var lastTicket = 0
  private var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, Never>?)] = []

  /// How many wait.
  var count: Int { waiting.count }

  mutating func enter() -> Place {
    guard isBusy else {
      isBusy = true
      return .first
    }
    guard waiting.count < Self.maximum else { return .full }
    lastTicket += 1
    waiting.append((lastTicket, nil))
    return .waits(lastTicket)
  }

  mutating func wait(_ ticket: Int, _ continuation: CheckedContinuation<Void, Never>) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
      continuation.resume()
      return
    }
    waiting[index].continuation = continuation
  }

  /// Returns who comes next, if anybody waits.
  mutating func leave() -> CheckedContinuation<Void, Never>? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst().continuation
  }
}
