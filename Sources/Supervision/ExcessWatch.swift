import CSystem
import Foundation
import Synchronization
import Wire

/// Looks at what workers take that the kernel does not bound as a whole, and ends those that take too
/// much: of the disk, in the folders that they write to, and threads.
///
/// The kernel bounds each file of a worker, and not how many there are. What is taken between two looks
/// is more than the limit by what a disk can take in that time.
final class ExcessWatch: Sendable {
  /// A worker, and where it may write.
  struct Place: Sendable {
    let worker: Worker
    /// Whether it may be more than one process.
    let startsPrograms: Bool
    let scratch: String?
    /// Shared by the workers of one agent.
    let prefixes: String?
  }

  /// Far more than a worker has that does its work, with the programs that its agent may start.
  private static let threadLimit = max(512, 16 * ProcessInfo.processInfo.activeProcessorCount)

  private let limit: ScratchLimit
  private let prefixLimit: ScratchLimit
  private let isLooking = Atomic<Bool>(false)
  /// Many files take a while to count, and nobody waits for it.
  private let queue = DispatchQueue(label: "excess watch", qos: .utility)

  init(_ limit: ScratchLimit, prefixes prefixLimit: ScratchLimit) {
    self.limit = limit
    self.prefixLimit = prefixLimit
  }

  /// Looks once, beside whoever calls; a look that takes longer than a heartbeat is not begun twice.
  func look(at places: [Place]) {
    guard !places.isEmpty, !isLooking.exchange(true, ordering: .acquiring) else { return }
    queue.async { [self] in
      var full: Set<String> = []
      // To look at all processes takes a while, too.
      let table = ProcessTable(places.contains(where: \.startsPrograms) ? ProcessFacts.all() : [])
      for place in places where !place.worker.hasEnded {
        let pid = place.worker.pid
        let family =
          place.startsPrograms
          ? table.family(of: pid) : [ProcessFacts(of: pid)].compactMap(\.self)
        guard family.reduce(0, { $0 + $1.threads }) <= Self.threadLimit else {
          place.worker.condemn(.tooManyThreads(limit: Self.threadLimit))
          continue
        }
        let removed = RemovedFiles(of: family.map(\.pid))
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
    _ removed: RemovedFiles
  ) -> ScratchExcess? {
    let limit = kind == .scratch ? limit : prefixLimit
    let bounds = csystem_use(bytes: UInt64(limit.bytes), entries: UInt64(limit.files))
    let use = csystem_measure(folder, bounds)
    if use.entries > bounds.entries { return .files(limit: limit.files, in: kind) }
    let bytes = use.bytes + removed.bytes(below: folder)
    return bytes > bounds.bytes ? .bytes(limit: limit.bytes, in: kind) : nil
  }
}
