import Foundation
import Wire

/// What a coordinator leaves behind that ends before its workers have: a file for every process that
/// lives says which one it is, so that the next coordinator ends that and no other.
package struct Leftovers: Sendable {
  private let folder: String

  /// - Parameter folder: A folder that no two coordinators use at the same time.
  package init(folder: String) {
    self.folder = folder
  }

  /// Remembers a process, before anything is said to it.
  func note(_ run: RunID, pid: Int32) {
    guard let identity = ProcessIdentity(of: pid) else { return }
    try? "\(identity)\n".write(toFile: file(of: run), atomically: false, encoding: .utf8)
  }

  /// The process has ended.
  func forget(_ run: RunID) { unlink(file(of: run)) }

  /// Kills the processes that were not forgotten, when they are provably those that were remembered,
  /// and what programs of their agents have outlived them.
  /// - Returns: The numbers of those that lived, or whose programs did.
  @discardableResult
  package func sweep() -> [Int32] {
    mkdir(folder, 0o700)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      let path = "\(folder)/\(name)"
      defer { unlink(path) }
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let identity = ProcessIdentity(text),
        identity.kill() || identity.killGroup(where: { Self.isAtHome($0, in: name) })
      else { return nil }
      return identity.pid
    }
  }

  /// Whether a process has a worker's scratch folder for its home, as what agents start has.
  private static func isAtHome(_ pid: Int32, in run: String) -> Bool {
    let folder = Array("/\(run)".utf8)
    return ProcFile.contents(of: "/proc/\(pid)/environ").split(separator: 0).contains { variable in
      ["HOME=", "TMPDIR="].contains { variable.starts(with: $0.utf8) }
        && variable.suffix(folder.count).elementsEqual(folder)
    }
  }

  private func file(of run: RunID) -> String { "\(folder)/\(run)" }
}
