/// The prompts that wait for the one before them.
struct TurnQueue {
  static let maximum = 16

  /// A waiting prompt, resumed with whether its turn has come; `false` means that it gave up.
  typealias Waiter = CheckedContinuation<Bool, Never>

  enum Place {
    case first
    case waits(Int)
    case full
  }

  /// Whether a prompt is being answered.
  private(set) var isBusy = false
  private var lastTicket = 0
  private var waiting: [(ticket: Int, continuation: Waiter?)] = []

  /// How many prompts wait.
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

  /// Leaves the queue.
  /// - Returns: The next waiter, if there is one.
  mutating func leave() -> Waiter? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst().continuation
  }

  /// Gives up a place.
  /// - Returns: The waiter that had it; `nil` if its turn had already come.
  mutating func giveUp(_ ticket: Int) -> Waiter? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    return waiting.remove(at: index).continuation
  }
}
