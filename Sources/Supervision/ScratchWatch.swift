import CSystem
import Foundation
import Synchronization
import Wire

/// How much a worker may leave in its scratch folder.
package struct ScratchLimit: Sendable, Equatable {
  package var bytes: Int
  /// Files, folders and whatever else has a name.
  package var files: Int

  package init(bytes: Int = 4 << 30, files: Int = 65_536) {
    self.bytes = bytes
    self.files = files
  }
}

/// Looks at the scratch folders of workers, and ends those that put too much there.
///
/// The kernel bounds each file of a worker, and not how many there are. What is written between two
/// looks is more than the limit by what a disk can take in that time.
final class ScratchWatch: Sendable {
  private let limit: ScratchLimit
  private let isLooking = Atomic<Bool>(false)
  /// Many files take a while to count, and nobody waits for it.
  private let queue = DispatchQueue(label: "scratch watch", qos: .utility)

  init(_ limit: ScratchLimit) {
    self.limit = limit
  }

  /// Looks once, beside whoever calls; a look that takes longer than a heartbeat is not begun twice.
  func look(at places: [(folder: String, worker: Worker)]) {
    guard !places.isEmpty, !isLooking.exchange(true, ordering: .acquiring) else { return }
    queue.async { [self] in
      for (folder, worker) in places where !worker.hasEnded {
        guard let excess = excess(in: folder, of: worker.pid) else { continue }
        worker.condemn(.scratchFull(excess))
      }
      isLooking.store(false, ordering: .releasing)
    }
  }

  /// What is too much in the folder of a worker; `nil` when nothing is.
  func excess(in folder: String, of pid: Int32) -> ScratchExcess? {
    let bounds = csystem_use(bytes: UInt64(limit.bytes), entries: UInt64(limit.files))
    let use = csystem_measure(folder, bounds)
    if use.entries > bounds.entries { return .files(limit: limit.files) }
    let bytes = use.bytes + Self.nameless(in: folder, of: pid)
    return bytes > bounds.bytes ? .bytes(limit: limit.bytes) : nil
  }

  /// The bytes of files that have been removed from the folder, and that the worker has open: they
  /// occupy the disk as before.
  private static func nameless(in folder: String, of pid: Int32) -> UInt64 {
    let descriptors = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
    return names.reduce(0) { sum, name in
      let path = "\(descriptors)/\(name)"
      var facts = stat()
      guard let file = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
        file.hasPrefix(folder + "/"), stat(path, &facts) == 0, facts.st_nlink == 0
      else { return sum }
      return sum + UInt64(max(0, facts.st_blocks)) * 512
    }
  }
}
