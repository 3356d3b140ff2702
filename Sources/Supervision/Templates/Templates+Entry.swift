import Wire

extension Templates {
  /// A template, from the first request for it.
  struct Entry {
    let run: RunID
    /// The configuration that an agent's template is for; `nil` for one without an agent.
    let agent: WorkerConfiguration?
    let priority: CorePriority
    let making: Task<WorkerHandle?, Never>
    var worker: WorkerHandle?
    var status: Standby?
    var lastUse = ContinuousClock.now

    /// Whether processes can be forked from it.
    var isReady: Bool { status?.isReady == true }
  }
}
