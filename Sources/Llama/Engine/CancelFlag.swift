import Synchronization

/// Asks a running prefill or generation to end; the only thing here that other threads may touch.
package final class CancelFlag: Sendable {
  private let flag = Atomic<Bool>(false)
  private let poll: (@Sendable () -> Bool)?

  /// - Parameter poll: Polled by the computation itself, on its thread, where nothing else could set
  ///   the flag.
  package init(poll: (@Sendable () -> Bool)? = nil) {
    self.poll = poll
  }

  package var isSet: Bool {
    if !flag.load(ordering: .relaxed), let poll, poll() { set() }
    return flag.load(ordering: .relaxed)
  }

  /// Sets the flag, which takes effect within a step of the computation, even inside a long prompt.
  package func set() {
    flag.store(true, ordering: .relaxed)
  }
}
