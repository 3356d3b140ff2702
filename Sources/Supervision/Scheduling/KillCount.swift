import Foundation

/// Tracks a kernel counter of processes killed for lack of memory.
///
/// A pure value. The counter does not say which process was killed, so each kill explains one
/// death, and only for a while.
struct KillCount {
  /// How long after being counted a kill can still explain a death.
  private static let validity = Duration.seconds(10)

  private var known: Int?
  private var unexplained: [ContinuousClock.Instant] = []

  /// Records a reading of the counter.
  mutating func note(_ count: Int?, at now: ContinuousClock.Instant) {
    unexplained.removeAll { now - $0 > Self.validity }
    guard let count else { return }
    // Kills counted before the first reading explain nothing.
    if let known, count > known {
      unexplained += Array(repeating: now, count: min(count - known, 1000))
    }
    known = count
  }

  /// Attributes to the kernel the death of a process that nobody here killed.
  ///
  /// - Returns: Whether the kernel killed it.
  mutating func explainDeath() -> Bool { unexplained.popLast() != nil }

  /// Reads the number on the `oom_kill` line of a kernel file.
  static func read(_ file: String) -> Int? {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "oom_kill" { return Int(words[1]) }
    }
    return nil
  }
}
