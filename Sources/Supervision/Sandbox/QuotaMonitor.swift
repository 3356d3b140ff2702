import CSystem
import Foundation
import Synchronization
import Wire

/// Ends workers that take too much of what the kernel does not bound as a whole: disk space in
/// their writable folders, and threads.
///
/// The kernel bounds each file of a worker, but not how many there are. Between two looks a worker
/// can exceed its limit by what the disk can write in that time.
final class ExcessWatch: Sendable {
  /// A worker and the folders it may write to.
  struct Place: Sendable {
    let worker: Worker
    /// Whether the worker may be more than one process.
    let startsPrograms: Bool
    let scratch: String?
    /// A folder shared by the workers of one agent.
    let prefixes: String?
  }

  /// Far more threads than a well-behaved worker has, including the programs its agent may start.
  private static let threadLimit = max(512, 16 * ProcessInfo.processInfo.activeProcessorCount)

  private let limit: ScratchLimit
  private let prefixLimit: ScratchLimit
  private let isLooking = Atomic<Bool>(false)
  /// Counting many files takes a while, and nobody waits for it.
  private let queue = DispatchQueue(label: "excess watch", qos: .utility)

  init(_ limit: ScratchLimit, prefixes prefixLimit: ScratchLimit) {
    self.limit = limit
    self.prefixLimit = prefixLimit
  }

  /// Looks at the workers once, without blocking the caller.
  ///
  /// A look that outlasts a heartbeat is not started a second time.
  func look(at places: [Place]) {
    guard !places.isEmpty, !isLooking.exchange(true, ordering: .acquiring) else { return }
    queue.async { [self] in
      var full: Set<String> = []
      // Scanning all processes takes a while as well.
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
      // The folder outlives its workers, and its contents can be recomputed.
      for folder in full { csystem_empty(folder) }
      isLooking.store(false, ordering: .releasing)
    }
  }

  /// Returns by what a folder exceeds its limit; `nil` when it does not.
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
