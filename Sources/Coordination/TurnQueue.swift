/// The prompts that wait for the one before them.
struct TurnQueue {
  static let maximum = 16

  /// Whoever waits hears whether it is its turn; it is not when it has given up.
  typealias Waiter = CheckedContinuation<Bool, Never>

  enum Place {
    case first
    case waits(Int)
    case full
  }

  /// Whether somebody has its turn.
  private(set) var isBusy = false
  private var lastTicket = 0
  private var waiting: [(ticket: Int, continuation: Waiter?)] = []

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

  mutating func wait(_ ticket: Int, _ continuation: Waiter) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
      continuation.resume(returning: true)
      return
    }
    waiting[index].continuation = continuation
  }

  /// Returns who comes next, if anybody waits.
  mutating func leave() -> Waiter? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst().continuation
  }

  /// Takes back a place; returns who had it, unless its turn had come already.
  mutating func giveUp(_ ticket: Int) -> Waiter? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    return waiting.remove(at: index).continuation
  }
}
