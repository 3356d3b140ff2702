import Wire

extension Templates {
  /// One template, from the moment somebody wants it.
  struct Entry {
    let run: RunID
    /// The hello that an agent's template is for; `nil` for one without an agent.
    let agent: Hello?
    let demand: Demand
    let making: Task<Worker?, Never>
    /// The run that waits for it and has memory reserved for it; `nil` as long as none does.
    var payer: RunID?
    /// Whether that memory is its own.
    var hasMemory = false
    var worker: Worker?
    var status: Standby?
    var lastUse = ContinuousClock.now

    /// Whether processes can be forked from it.
    var isReady: Bool { status?.isReady == true }
  }
}
