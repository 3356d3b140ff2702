import PlatformLibraries
import Wire

/// A file for each living process, by which the next coordinator can kill what a killed one left
/// behind, and nothing else.
package struct PIDFiles: Sendable {
  private let folder: String

  /// - Parameter folder: A folder that no two coordinators use at the same time.
  package init(folder: String) {
    self.folder = folder
  }

  /// Records a process before anything is sent to it.
  func record(_ run: RunID, pid: Int32) {
    guard let identity = ProcessIdentity(of: pid) else { return }
    // Without a record it ends with its lifeline all the same; only a process that ignores that
    // would outlive a killed coordinator.
    try? "\(identity)\n".write(toFile: file(of: run), atomically: false, encoding: .utf8)
  }

  /// Removes the record of a process that has ended.
  func remove(_ run: RunID) { unlink(file(of: run)) }

  /// Kills recorded processes that are provably the same, and any programs of their agents that
  /// outlived them.
  ///
  /// - Returns: The numbers of those that were alive, or whose programs were.
  @discardableResult
  package func killSurvivors() -> [Int32] {
    mkdir(folder, 0o700)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      let path = "\(folder)/\(name)"
      defer { unlink(path) }
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let identity = ProcessIdentity(text),
        identity.kill() || identity.killGroup(where: { Self.hasScratchOf($0, name) })
      else { return nil }
      return identity.pid
    }
  }

  /// Returns whether a process's home is a worker's scratch folder, as for anything an agent
  /// starts.
  private static func hasScratchOf(_ pid: Int32, _ run: String) -> Bool {
    let folder = Array("/\(run)".utf8)
    return ProcFile.contents(of: "/proc/\(pid)/environ").split(separator: 0).contains { variable in
      ["HOME=", "TMPDIR="].contains { variable.starts(with: $0.utf8) }
        && variable.suffix(folder.count).elementsEqual(folder)
    }
  }

  private func file(of run: RunID) -> String { "\(folder)/\(run)" }
}
