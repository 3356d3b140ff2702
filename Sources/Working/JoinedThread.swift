import CSystem

/// A thread that is waited for: it is as if the work were done here, but nothing of it stays with
/// the thread that waits.
///
/// A template does all its work like this. Whatever a thread keeps for itself stays in a fork of
/// it, and Swift's `Mutex` and others keep the thread's number there, which in the fork is another.
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
