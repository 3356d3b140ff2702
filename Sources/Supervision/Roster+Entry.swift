import Wire

extension Roster {
  /// A worker that lives, and what has to be known of it to watch it.
  struct Entry {
    let worker: Worker
    /// The template that it was forked from.
    let template: RunID?
    /// The model that it has, or loads.
    let model: String?
    /// Whether it may be more than one process.
    let startsPrograms: Bool
    /// Where it keeps prefixes.
    let prefixes: String?

    /// Where it may write.
    func place(scratch: String?) -> ExcessWatch.Place {
      .init(worker: worker, startsPrograms: startsPrograms, scratch: scratch, prefixes: prefixes)
    }
  }
}
