import CSystemCalls
import Synchronization
import Wire

/// Tells whether the kernel killed a process for lack of memory.
///
/// The kernel only counts such kills. A process that died of a SIGKILL that was not sent from here
/// is taken for one of them if the count rose within the last heartbeats.
final class OutOfMemoryKills: Sendable {
  private struct Counts {
    /// The count up to which deaths are explained; `nil` where the kernel does not count.
    var explained: Int?
    var latest: Int?
  }

  private let file: String
  private let counts: Mutex<Counts>

  init(file: String = "/proc/vmstat") {
    self.file = file
    let count = Self.count(in: file)
    counts = Mutex(Counts(explained: count, latest: count))
  }

  /// Reads the count; called once per heartbeat.
  ///
  /// A rise explains deaths until the next call but one.
  func sample() {
    let count = Self.count(in: file)
    counts.withLock { counts in
      if let latest = counts.latest { counts.explained = max(counts.explained ?? 0, latest) }
      counts.latest = count
    }
  }

  /// Returns whether a kill explains a death; each one explains a single death.
  func explainDeath() -> Bool {
    let count = Self.count(in: file)
    return counts.withLock { counts in
      guard let count, let explained = counts.explained, count > explained else { return false }
      counts.explained = explained + 1
      return true
    }
  }

  private static func count(in file: String) -> Int? {
    String(decoding: ProcFile.contents(of: file), as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("oom_kill ") }
      .flatMap { Int($0.dropFirst("oom_kill ".count)) }
  }
}

extension OutOfMemory {
  /// Reads the line that a worker writes when it crashes with next to no memory left.
  init?(crashReport line: String) {
    guard line.hasPrefix(CSYSTEM_OUT_OF_MEMORY) else { return nil }
    let numbers = line.dropFirst(CSYSTEM_OUT_OF_MEMORY.count).split(separator: " ")
      .compactMap { Int($0) }
    guard numbers.count == 2 else { return nil }
    self = .refused(used: numbers[0], limit: numbers[1])
  }
}
