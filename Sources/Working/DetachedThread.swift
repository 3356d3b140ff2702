#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of one's own, for work that blocks.
package enum DetachedThread {
  /// Starts a thread that ends with its work.
  package static func start(name: String, _ work: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread,
      nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      },
      box.toOpaque()
    )
    precondition(result == 0, "the thread '\(name)' cannot be started: error \(result)")
    pthread_detach(thread)
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
