import Journal
import Transcripts
import Wire

// What workers have journaled: entries and their agents' shared state.

extension Turn {
  /// The most bytes of all session properties: every worker holds them, and a new one is sent all.
  static let maximumPropertyBytes = 64 << 20

  // MARK: Entries

  mutating func record(
    _ entries: [RawEntry],
    _ usage: RequestUsage?,
    then purpose: RequestPurpose?,
    _ call: WorkerCall
  ) throws {
    try checkPlaces(of: entries, usage, agent: call.agent)
    try quota.count(entries: entries.count)
    for entry in entries { try checkSize(of: entry, agent: call.agent) }
    var events = entries.map { Fact.Event.recorded($0, nil) }
    if let last = entries.last {
      events[events.endIndex - 1] = .recorded(last, usage)
      // A request whose usage is not told has been made all the same.
      if let request = generation.openRequest, last.endsRequest(usage),
        !(usage.map(last.isRound) ?? false)
      {
        events.insert(.abandonedRequest(tokens: request.texts), at: 0)
      }
    }
    emit(
      .write(
        events,
        agent: call.agent,
        run: call.run,
        .entries(call, entries, usage, then: purpose)
      )
    )
  }

  mutating func recorded(
    _ entries: [RawEntry],
    _ usage: RequestUsage?,
    then purpose: RequestPurpose?,
    _ call: WorkerCall
  ) throws {
    if let usage { team.add(usage, of: call.run, agent: call.agent) }
    if let last = entries.last, last.endsRequest(usage) { generation.openRequest = nil }
    generation.partial = PartialText()
    if let slot = team.slots[call.agent] {
      team.setKnown(slot.knownEntries + entries.count, by: call.agent)
    }
    try quota.count(bytes: entries.reduce(0) { $0 + $1.size })
    var admitted = AdmittedCalls()
    if case .toolCalls? = entries.last?.entry, let admission = state.round?.admission {
      admitted = AdmittedCalls(count: admission.count, repeated: admission.repeated)
    }
    var next: AdmissionAnswer?
    // A request that is still open is abandoned first, and a turn that is stopped makes none.
    if let purpose, generation.openRequest == nil, stopping == nil {
      next = admission(of: purpose)
    }
    reply(to: call, .recorded(admitted, next))
    for (place, entry) in entries.enumerated() {
      // Text alongside calls precedes them, and is no answer.
      let isAnswer = usage != nil && place == entries.count - 1
      for event in TurnEvent.events(of: entry.entry, isAnswer: isAnswer, agent: call.agent) {
        show(event)
      }
    }
  }

  /// Checks that an output belongs to a call that has none yet, and that an answer and other calls
  /// come only when all calls have one.
  private func checkPlaces(
    of entries: [RawEntry],
    _ usage: RequestUsage?,
    agent: String
  ) throws(ConversationError) {
    var open = state.round?.calls ?? []
    for (place, entry) in entries.enumerated() {
      switch entry.entry {
      case .toolOutput(let output):
        // A model may give several calls of a round the same identity.
        guard let index = open.firstIndex(of: output.id) else {
          throw .strayOutput(output.id, agent: agent)
        }
        open.remove(at: index)
      case .toolCalls(let calls):
        if let call = open.first { throw .missingOutput(call, agent: agent) }
        open = calls.map(\.id)
      // Without usage it is text alongside calls, and no answer.
      case .response where usage != nil && place == entries.count - 1:
        if let call = open.first { throw .missingOutput(call, agent: agent) }
      case .response, .instructions, .prompt, .reasoning: break
      }
    }
  }

  private func checkSize(of entry: RawEntry, agent: String) throws(ConversationError) {
    let (bytes, limit) = (entry.size, EntryLimit.bytes)
    guard bytes <= limit else { throw .entryTooLarge(agent: agent, bytes: bytes, limit: limit) }
  }

  /// Records the result of a call whose output entry must wait for those of earlier calls.
  mutating func recordEarly(_ entry: RawEntry, _ call: WorkerCall) throws {
    try quota.count(entries: 1)
    try checkSize(of: entry, agent: call.agent)
    guard case .toolOutput(let output) = entry.entry,
      state.round?.hasRoom(for: output, bytes: entry.size) == true
    else { return reply(to: call, .recorded(AdmittedCalls())) }
    write(.returnedEarly(entry), by: call, then: .early(call, bytes: entry.size))
  }

  // MARK: Shared state

  /// Records an agent's change to the shared state, and only then lets the agent go on.
  mutating func record(_ change: StateChange, _ call: WorkerCall) throws {
    _ = try change.history?.applied(to: state.history)
    // An edit counts as one, however many entries it inserts: an agent may rewrite a long history.
    try quota.count(entries: 1 + change.properties.count)
    try checkRoom(for: change.properties, agent: call.agent)
    let bytes = change.properties.bytes + (try change.history?.bytes ?? 0)
    write(.changedState(change), by: call, then: .state(call, change, bytes: bytes))
  }

  mutating func recorded(
    _ change: StateChange,
    bytes: Int,
    _ call: WorkerCall
  ) throws {
    if let usage = change.usage {
      team.add(usage, of: call.run, agent: call.agent)
      // A summary is a request of its own, while usage by hooks says nothing about the open one.
      if change.context != nil { generation.openRequest = nil }
    }
    try quota.count(bytes: bytes)
    team.setKnown(change.properties, by: call.agent)
    if let context = change.context { show(.context(agent: call.agent, context)) }
    if let edit = change.history {
      team.forget(after: edit.unchangedCount)
      team.setKnown(state.history.count, by: call.agent)
    }
    reply(to: call, .recorded(AdmittedCalls()))
  }

  /// Checks that a change leaves the session properties within their limit; larger ones may shrink.
  private func checkRoom(
    for change: [String: String],
    agent: String
  ) throws(ConversationError) {
    guard !change.isEmpty else { return }
    let bytes = state.properties.merging(change) { $1 }.bytes
    guard bytes > Self.maximumPropertyBytes, bytes > state.properties.bytes else { return }
    throw .propertiesTooLarge(agent: agent, bytes: bytes, limit: Self.maximumPropertyBytes)
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

extension [String: String] {
  /// The bytes of session properties.
  fileprivate var bytes: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}

extension HistoryEdit {
  /// The bytes of what it adds.
  fileprivate var bytes: Int {
    get throws { try added.reduce(0) { try $0 + RawEntry($1).size } }
  }
}
