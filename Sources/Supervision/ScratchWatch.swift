import CSystem
import Foundation
import Synchronization
import Wire

/// How much a worker may leave in a folder.
package struct ScratchLimit: Sendable, Equatable {
  /// Twice what honest workers keep of prefixes, of which they remove the oldest.
  package static let prefixes = Self(bytes: 1 << 30, files: 4096)

  package var bytes: Int
  /// Files, folders and whatever else has a name.
  package var files: Int

  package init(bytes: Int = 4 << 30, files: Int = 65_536) {
    self.bytes = bytes
    self.files = files
  }
}

/// Looks at the folders that workers write to, and ends those that put too much there.
///
/// The kernel bounds each file of a worker, and not how many there are. What is written between two
/// looks is more than the limit by what a disk can take in that time.
final class ScratchWatch: Sendable {
  /// Where a worker may write.
  struct Place: Sendable {
    let worker: Worker
    let scratch: String?
    /// Shared by the workers of one agent.
    let prefixes: String?
  }

  private let limit: ScratchLimit
  private let prefixLimit: ScratchLimit
  private let isLooking = Atomic<Bool>(false)
  /// Many files take a while to count, and nobody waits for it.
  private let queue = DispatchQueue(label: "scratch watch", qos: .utility)

  init(_ limit: ScratchLimit, prefixes prefixLimit: ScratchLimit) {
    self.limit = limit
    self.prefixLimit = prefixLimit
  }

  /// Looks once, beside whoever calls; a look that takes longer than a heartbeat is not begun twice.
  func look(at places: [Place]) {
    guard !places.isEmpty, !isLooking.exchange(true, ordering: .acquiring) else { return }
    queue.async { [self] in
      var full: Set<String> = []
      for place in places where !place.worker.hasEnded {
        let removed = Self.removedFiles(of: place.worker.pid)
        if let folder = place.scratch, let excess = excess(in: folder, .scratch, removed) {
          place.worker.condemn(.scratchFull(excess))
        }
        if let folder = place.prefixes, let excess = excess(in: folder, .prefixes, removed) {
          place.worker.condemn(.scratchFull(excess))
          full.insert(folder)
        }
      }
      // It outlives its workers, and what is in it can be computed again.
      for folder in full { csystem_empty(folder) }
      isLooking.store(false, ordering: .releasing)
    }
  }

  /// What is too much in a folder of a worker; `nil` when nothing is.
  private func excess(
    in folder: String,
    _ kind: ScratchExcess.Folder,
    _ removed: [RemovedFile]
  ) -> ScratchExcess? {
    let limit = kind == .scratch ? limit : prefixLimit
    let bounds = csystem_use(bytes: UInt64(limit.bytes), entries: UInt64(limit.files))
    let use = csystem_measure(folder, bounds)
    if use.entries > bounds.entries { return .files(limit: limit.files, in: kind) }
    // Bytes and not characters: a letter's mark at the front of a name would take the slash with it.
    let start = Array("\(folder)/".utf8)
    let bytes = removed.filter { $0.path.utf8.starts(with: start) }.reduce(use.bytes) {
      $0 + $1.bytes
    }
    return bytes > bounds.bytes ? .bytes(limit: limit.bytes, in: kind) : nil
  }

  /// A file that has no name any more, and occupies the disk as before because it is open.
  private struct RemovedFile {
    /// Where it was.
    let path: String
    let bytes: UInt64
  }

  private static func removedFiles(of pid: Int32) -> [RemovedFile] {
    let descriptors = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
    return names.compactMap { name in
      let path = "\(descriptors)/\(name)"
      var facts = stat()
      guard let file = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
        stat(path, &facts) == 0, facts.st_nlink == 0
      else { return nil }
      return RemovedFile(path: file, bytes: UInt64(max(0, facts.st_blocks)) * 512)
    }
  }
}
