package import PlatformLibraries
package import Wire

/// The folder of worker logs, pruned so that it does not grow forever.
package struct LogFolder: Sendable {
  /// How much to keep of the logs of workers that are gone.
  package struct Limits: Sendable {
    package var count: Int
    package var bytes: Int
    package var age: Duration

    package init(count: Int = 1000, bytes: Int = 256 << 20, age: Duration = .seconds(30 * 86_400)) {
      self.count = count
      self.bytes = bytes
      self.age = age
    }
  }

  /// A log written this recently may belong to a worker that is just being started.
  private static let freshSeconds = 60.0

  private let path: String
  private let limits: Limits

  package init(path: String, limits: Limits = Limits()) {
    self.path = path
    self.limits = limits
  }

  /// One worker's log, in one or two files.
  private struct Log {
    var files: [String] = []
    var bytes = 0
    var lastUse = Date.distantPast
  }

  /// Removes the oldest logs when there are too many, they are too large together, or they are too
  /// old.
  ///
  /// Logs of living workers are never touched.
  ///
  /// - Returns: The number of logs removed.
  @discardableResult
  package func prune(living: Set<RunID>, now: Date = Date()) -> Int {
    let living = Set(living.map(\.description))
    let logs = logs().filter { !living.contains($0.key) }.values
      .sorted { $0.lastUse > $1.lastUse }
    var (kept, bytes, removed) = (0, 0, 0)
    let oldest = now.addingTimeInterval(-(limits.age / .seconds(1)))
    for log in logs {
      let isWithin =
        kept < limits.count && bytes + log.bytes <= limits.bytes && log.lastUse >= oldest
      guard !isWithin, log.lastUse < now.addingTimeInterval(-Self.freshSeconds) else {
        (kept, bytes) = (kept + 1, bytes + log.bytes)
        continue
      }
      remove(log)
      removed += 1
    }
    return removed
  }

  /// Removes the logs of the given runs.
  ///
  /// - Parameter kept: Those whose logs stay: an imported session may name any run.
  /// - Returns: The number of logs removed.
  @discardableResult
  package func remove(of runs: Set<String>, sparing kept: Set<RunID> = []) -> Int {
    let runs = runs.subtracting(kept.map(\.description))
    let logs = logs().filter { runs.contains($0.key) }.values
    for log in logs { remove(log) }
    return logs.count
  }

  private func remove(_ log: Log) {
    for file in log.files { unlink("\(path)/\(file)") }
  }

  /// Returns the logs by the run they belong to.
  private func logs() -> [String: Log] {
    var logs: [String: Log] = [:]
    for file in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      guard let end = file.ranges(of: ".log").last, !file.hasPrefix(".") else {
        continue
      }
      var facts = stat()
      guard lstat("\(path)/\(file)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      var log = logs[String(file[..<end.lowerBound])] ?? Log()
      log.files.append(file)
      log.bytes += Int(facts.st_size)
      let lastUse = Date(timeIntervalSince1970: Double(facts.modification.tv_sec))
      log.lastUse = max(log.lastUse, lastUse)
      logs[String(file[..<end.lowerBound])] = log
    }
    return logs
  }
}
