import Foundation

/// A counter of the kernel: how many processes it has killed for want of memory.
///
/// A pure value. It does not say whom, so that each kill explains one death, and only for a while.
struct KillCount {
  /// How long a kill may have been counted before the death that it explains is heard of.
  private static let validity = Duration.seconds(10)

  private var known: Int?
  private var unexplained: [ContinuousClock.Instant] = []

  /// The counter has been read.
  mutating func note(_ count: Int?, at now: ContinuousClock.Instant) {
    unexplained.removeAll { now - $0 > Self.validity }
    guard let count else { return }
    // What was counted before anybody looked explains nothing.
    if let known, count > known {
      unexplained += Array(repeating: now, count: min(count - known, 1000))
    }
    known = count
  }

  /// Somebody was killed, and nobody here has done it; returns whether the kernel has.
  mutating func explainDeath() -> Bool { unexplained.popLast() != nil }

  /// What a file of the kernel says: `oom_kill` and a number in one of its lines.
  static func read(_ file: String) -> Int? {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "oom_kill" { return Int(words[1]) }
    }
    return nil
  }
}
