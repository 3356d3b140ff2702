import Wire

extension Roster {
  /// A living worker and what is needed to watch it.
  struct Entry {
    let worker: WorkerHandle
    /// The template that it was forked from.
    let template: RunID?
    /// The model that it has loaded or is loading.
    let model: String?
    /// Whether it may be more than one process.
    let startsPrograms: Bool
    /// The folder in which it keeps prefixes.
    let prefixes: String?

    /// Returns the folders it may write to.
    func place(scratch: String?) -> QuotaMonitor.Place {
      .init(worker: worker, startsPrograms: startsPrograms, scratch: scratch, prefixes: prefixes)
    }
  }
}
