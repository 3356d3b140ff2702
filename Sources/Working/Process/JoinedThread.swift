import CSystemCalls

/// A thread that the caller waits for, so that the work leaves nothing behind in the caller's
/// thread.
///
/// A template does all its work this way. A fork keeps its thread's local state, and Swift's
/// `Mutex` and others store the thread's number there, which is different in the fork.
enum JoinedThread {
  static func run<Result>(_ work: () -> Result) -> Result {
    var result: Result?
    withoutActuallyEscaping({ result = work() }) { body in
      let box = Box(body)
      let problem = csystem_join_thread(
        { pointer in
          guard let pointer else { return nil }
          Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().body()
          return nil
        },
        Unmanaged.passUnretained(box).toOpaque()
      )
      withExtendedLifetime(box) {}
      precondition(problem == 0, "a thread cannot be started: error \(problem)")
    }
    guard let result else { preconditionFailure("a joined thread ends with its work") }
    return result
  }
}

private final class Box {
  let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
  }
}
