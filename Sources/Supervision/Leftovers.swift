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

  /// Kills the processes that were not forgotten, when they are provably those that were remembered.
  /// - Returns: The numbers of those that lived.
  @discardableResult
  package func sweep() -> [Int32] {
    mkdir(folder, 0o700)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      let path = "\(folder)/\(name)"
      defer { unlink(path) }
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let identity = ProcessIdentity(text), identity.kill()
      else { return nil }
      return identity.pid
    }
  }

  private func file(of run: RunID) -> String { "\(folder)/\(run)" }
}
