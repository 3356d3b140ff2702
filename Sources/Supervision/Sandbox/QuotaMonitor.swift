import CSystemCalls
import Dispatch
import PlatformLibraries
import Synchronization
import Wire

/// Kills workers that exceed a quota that the kernel does not enforce: disk space in their writable
/// folders, and threads.
///
/// The kernel bounds each file of a worker, but not how many there are. Between two checks a worker
/// can exceed its quota by what the disk can write in that time.
final class QuotaMonitor: Sendable {
  /// A worker and the folders it may write to.
  struct Place: Sendable {
    let worker: WorkerHandle
    /// Whether the worker may be more than one process.
    let startsPrograms: Bool
    let scratch: String?
    /// A folder shared by the workers of one agent.
    let prefixes: String?
  }

  /// Far more threads than a well-behaved worker has, including the programs its agent may start.
  private static let threadLimit = max(512, 16 * ProcessInfo.processInfo.activeProcessorCount)

  private let quota: FolderQuota
  private let prefixQuota: FolderQuota
  private let isChecking = Atomic<Bool>(false)
  /// Counting many files takes a while.
  private let queue = DispatchQueue(label: "quota monitor", qos: .utility)

  init(_ quota: FolderQuota, prefixes prefixQuota: FolderQuota) {
    self.quota = quota
    self.prefixQuota = prefixQuota
  }

  /// Checks the workers once, without blocking the caller; skipped while the last check runs.
  func check(_ places: [Place]) {
    guard !places.isEmpty, !isChecking.exchange(true, ordering: .acquiring) else { return }
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
          place.worker.terminate(reason: .tooManyThreads(limit: Self.threadLimit))
          continue
        }
        let removed = DeletedFiles(of: family.map(\.pid))
        if let folder = place.scratch, let excess = excess(in: folder, .scratch, removed) {
          place.worker.terminate(reason: .scratchFull(excess))
        }
        if let folder = place.prefixes, let excess = excess(in: folder, .prefixes, removed) {
          place.worker.terminate(reason: .scratchFull(excess))
          full.insert(folder)
        }
      }
      // The folder outlives its workers, and its contents can be recomputed.
      for folder in full { csystem_empty(folder) }
      isChecking.store(false, ordering: .releasing)
    }
  }

  /// Returns by what a folder exceeds its limit; `nil` when it does not.
  private func excess(
    in folder: String,
    _ kind: ScratchExcess.Folder,
    _ removed: DeletedFiles
  ) -> ScratchExcess? {
    let quota = kind == .scratch ? quota : prefixQuota
    let bounds = csystem_use(bytes: UInt64(quota.bytes), entries: UInt64(quota.files))
    let use = csystem_measure(folder, bounds)
    if use.entries > bounds.entries { return .files(limit: quota.files, in: kind) }
    let bytes = use.bytes + removed.bytes(below: folder)
    return bytes > bounds.bytes ? .bytes(limit: quota.bytes, in: kind) : nil
  }
}
