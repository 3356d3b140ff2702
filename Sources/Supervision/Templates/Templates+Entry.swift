import Wire

extension Templates {
  /// One template, from the moment somebody wants it.
  struct Entry {
    let run: RunID
    /// The hello that an agent's template is for; `nil` for one without an agent.
    let agent: Hello?
    let demand: Demand
    let making: Task<Worker?, Never>
    var worker: Worker?
    var status: Standby?
    var lastUse = ContinuousClock.now

    /// Whether processes can be forked from it.
    var isReady: Bool { status?.isReady == true }
  }
}
