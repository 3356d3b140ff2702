import Synchronization

/// Asks a running prefill or generation to end; the one thing here that other threads may touch.
package final class CancelFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { flag.load(ordering: .relaxed) }

  /// Takes effect within a step of the computation, also inside a long prompt.
  package func set() {
    flag.store(true, ordering: .relaxed)
  }
}
