/// On how many threads to compute a step.
///
/// The threads of a step wait for each other by spinning, hundreds of times. When the system gives one
/// of their cores to another process, all of them wait for the one that has none, and a step can take
/// fifty times as long. Whoever loses cores so uses fewer for a while.
struct ThreadPace {
  /// In a shorter time, what was lost says nothing.
  private static let window = Duration.milliseconds(20)
  /// Short at first: what else runs for a moment and is gone must not halve the speed for longer.
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

  /// How many threads to use of so many cores.
  mutating func count(upTo cores: Int, at now: ContinuousClock.Instant = .now) -> Int {
    guard let bound, now < bound.end else { return max(1, cores) }
    return max(1, min(cores, bound.count))
  }

  /// Takes what a step on several threads has taken.
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

  /// Whether threads wait for one that has no core.
  static func isCrowded(_ time: ProcessTime, on count: Int) -> Bool {
    lost(time, on: count) > tolerance(of: count)
  }

  private static func lost(_ time: ProcessTime, on count: Int) -> Double {
    Double(count) - time.cpu / time.wall
  }

  /// Cores that are lost where nobody takes any: threads begin, end, and wait for the first of them.
  private static func tolerance(of count: Int) -> Double { 0.4 + 0.05 * Double(count - 2) }
}
