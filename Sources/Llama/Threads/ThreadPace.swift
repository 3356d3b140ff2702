/// Decides on how many threads to compute a step.
///
/// The threads of a step wait for each other by spinning, hundreds of times. When the system gives
/// one of their cores to another process, all of them wait for the thread without a core, and a
/// step can take fifty times as long. So a process that loses cores uses fewer for a while.
struct ThreadPace {
  /// Losses within a shorter time mean nothing.
  private static let window = Duration.milliseconds(20)
  /// Short at first: something else that runs only briefly must not halve the speed for longer.
  private static let pauses = Duration.milliseconds(125)...Duration.seconds(16)

  private struct Bound {
    let count: Int
    /// The number of threads that was too many.
    let failed: Int
    let end: ContinuousClock.Instant
  }

  private var counted = ProcessTime()
  private var threads = 0
  private var bound: Bound?
  private var pause = Self.pauses.lowerBound

  /// Returns how many threads to use on this many cores.
  mutating func count(upTo cores: Int, at now: ContinuousClock.Instant = .now) -> Int {
    guard let bound, now < bound.end else { return max(1, cores) }
    return max(1, min(cores, bound.count))
  }

  /// Records the time of a step on several threads.
  mutating func note(_ time: ProcessTime, on count: Int, at now: ContinuousClock.Instant = .now) {
    if count != threads { (threads, counted) = (count, ProcessTime()) }
    counted += time
    guard counted.wall >= Self.window else { return }
    let lost = Self.lost(counted, on: count)
    counted = ProcessTime()
    if lost > Self.tolerance(of: count) {
      bound = Bound(
        count: max(1, count - Int(lost.rounded(.up))),
        failed: count,
        end: now + pause
      )
      pause = min(pause * 2, Self.pauses.upperBound)
    } else if let failed = bound?.failed, count >= failed {
      bound = nil
      pause = Self.pauses.lowerBound
    }
  }

  /// Returns whether threads wait for one that has no core.
  static func isCrowded(_ time: ProcessTime, on count: Int) -> Bool {
    lost(time, on: count) > tolerance(of: count)
  }

  private static func lost(_ time: ProcessTime, on count: Int) -> Double {
    Double(count) - time.cpu / time.wall
  }

  /// The cores lost even when no other process computes, because threads start, end and wait for the first.
  private static func tolerance(of count: Int) -> Double { 0.4 + 0.05 * Double(count - 2) }
}
