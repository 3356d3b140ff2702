/// The inputs of a conversation, which are handled in the order in which they come.
struct Mailbox {
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Enters if nothing is being handled; otherwise the caller has to wait.
  mutating func enter() -> Bool {
    defer { isBusy = true }
    return !isBusy
  }

  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  mutating func leave() {
    guard !waiting.isEmpty else {
      isBusy = false
      return
    }
    waiting.removeFirst().resume()
  }
}
