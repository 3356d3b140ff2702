import Journal
import Transcripts
import Wire

// What workers have journaled: entries and their agents' shared state.

extension Turn {
  // MARK: Entries

  mutating func record(
    _ entries: [RawEntry],
    _ usage: RequestUsage?,
    then purpose: RequestPurpose?,
    _ pending: PendingRequest
  ) throws {
    try state.checkPlaces(of: entries, usage, agent: pending.agent)
    try quota.count(entries: entries.count)
    for entry in entries { try entry.checkSize(agent: pending.agent) }
    var events = entries.map { Fact.Event.recorded($0, nil) }
    if let last = entries.last {
      events[events.endIndex - 1] = .recorded(last, usage)
      // A request whose usage is not told has been made all the same.
      if let request = progress.openRequest, last.endsRequest(usage),
        !(usage.map(last.isRound) ?? false)
      {
        events.insert(.abandonedRequest(tokens: request.texts), at: 0)
      }
    }
    write(events, by: pending, then: .entries(pending, entries, usage, then: purpose))
  }

  mutating func entriesWritten(
    _ entries: [RawEntry],
    _ usage: RequestUsage?,
    then purpose: RequestPurpose?,
    _ pending: PendingRequest
  ) throws {
    if let usage { team.add(usage, of: pending.run, agent: pending.agent) }
    if let last = entries.last, last.endsRequest(usage) { progress.openRequest = nil }
    progress.partial = PartialText()
    if let slot = team.slots[pending.agent] {
      team.setKnown(slot.knownEntries + entries.count, by: pending.agent)
    }
    try quota.count(bytes: entries.reduce(0) { $0 + $1.size })
    var admitted = AdmittedCalls()
    if case .toolCalls? = entries.last?.entry, let admission = state.round?.admission {
      admitted = AdmittedCalls(count: admission.count, repeated: admission.repeated)
    }
    var next: AdmissionAnswer?
    // A request that is still open is abandoned first, and a turn that is stopped makes none.
    if let purpose, progress.openRequest == nil, stopping == nil {
      next = admission(of: purpose)
    }
    reply(to: pending, .recorded(admitted, next))
    withdrawRequests { call, turn in turn.state.round?.mayRun(call.callID) != true }
    for (place, entry) in entries.enumerated() {
      // Text alongside calls precedes them, and is no answer.
      let isAnswer = usage != nil && place == entries.count - 1
      for event in TurnEvent.events(of: entry.entry, isAnswer: isAnswer, agent: pending.agent) {
        show(event)
      }
    }
  }

  /// Records the result of a call whose output entry must wait for those of earlier calls.
  mutating func recordEarly(_ entry: RawEntry, _ pending: PendingRequest) throws {
    try quota.count(entries: 1)
    try entry.checkSize(agent: pending.agent)
    guard case .toolOutput(let output) = entry.entry,
      state.round?.hasRoom(for: output, bytes: entry.size) == true
    else { return reply(to: pending, .recorded(AdmittedCalls())) }
    write([.returnedEarly(entry)], by: pending, then: .early(pending, bytes: entry.size))
  }

  // MARK: Shared state

  /// Records an agent's change to the shared state, and only then lets the agent go on.
  mutating func record(_ change: StateChange, _ pending: PendingRequest) throws {
    _ = try change.history?.applied(to: state.history)
    // An edit counts as one, however many entries it inserts: an agent may rewrite a long history.
    try quota.count(entries: 1 + change.properties.count)
    try state.checkRoom(for: change.properties, agent: pending.agent)
    let bytes = change.properties.bytes + (try change.history?.bytes ?? 0)
    write([.changedState(change)], by: pending, then: .state(pending, change, bytes: bytes))
  }

  mutating func stateChangeWritten(
    _ change: StateChange,
    bytes: Int,
    _ pending: PendingRequest
  ) throws {
    if let usage = change.usage {
      team.add(usage, of: pending.run, agent: pending.agent)
      // A summary is a request of its own, while usage by hooks says nothing about the open one.
      if change.context != nil { progress.openRequest = nil }
    }
    try quota.count(bytes: bytes)
    team.setKnown(change.properties, by: pending.agent)
    if let context = change.context { show(.context(agent: pending.agent, context)) }
    if let edit = change.history {
      team.forget(after: edit.unchangedCount)
      team.setKnown(state.history.count, by: pending.agent)
    }
    reply(to: pending, .recorded(AdmittedCalls()))
  }
}

extension RawEntry {
  /// Whether the entry is what a request was made for: calls or an answer.
  fileprivate func endsRequest(_ usage: RequestUsage?) -> Bool {
    switch entry {
    case .toolCalls: true
    case .response: usage != nil
    case .toolOutput, .reasoning, .instructions, .prompt: false
    }
  }
}

extension HistoryEdit {
  /// The bytes of what it adds.
  fileprivate var bytes: Int {
    get throws { try added.reduce(0) { try $0 + RawEntry($1).size } }
  }
}
