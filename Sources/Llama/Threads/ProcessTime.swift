import PlatformLibraries

/// Time taken by this process: by the clock, and on all cores together.
struct ProcessTime: Equatable {
  var wall = Duration.zero
  var cpu = Duration.zero

  static func += (sum: inout ProcessTime, added: ProcessTime) {
    sum.wall += added.wall
    sum.cpu += added.cpu
  }
}

/// Measures the time that this process takes from a moment on.
struct ProcessStopwatch {
  private let start = ContinuousClock.now
  private let spent = Self.spent()

  /// The time by the clock alone, which costs almost nothing to read.
  var wall: Duration { ContinuousClock.now - start }

  var time: ProcessTime { ProcessTime(wall: wall, cpu: Self.spent() - spent) }

  private static func spent() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
