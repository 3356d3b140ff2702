import CSystemCalls

/// A dedicated thread for work that blocks.
package enum DetachedThread {
  /// Starts a thread that ends with its work.
  package static func start(name: String, _ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(work))
    let problem = csystem_start_thread(
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      },
      box.toOpaque()
    )
    precondition(problem == 0, "the thread '\(name)' cannot be started: error \(problem)")
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
