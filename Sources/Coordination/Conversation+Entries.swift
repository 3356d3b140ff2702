import Foundation
import Journal
import Transcripts
import Wire

// An entry that nothing depends on is held briefly: usually an entry that the worker waits for
// follows soon, and both are written with a single wait for the disk. Any other event is handled
// only after held entries are written.

extension Conversation {
  /// How many entries a worker may send for turns that are over.
  private static let maximumStrays = 64

  /// Journals an entry, and only then lets the worker go on.
  func keep(
    _ entry: Transcript.Entry,
    figures: RequestFigures?,
    turn: Int,
    agent: String
  ) async throws {
    guard isCurrent(turn, agent), let link = seats[agent]?.link else {
      return try noteStray(agent)
    }
    try checkPlace(of: entry, figures, agent: agent)
    try self.turn?.quota.take(entries: 1)
    let payload = try payload(of: entry, figures, agent)
    let records = try await write(payload, figures, turn: turn, agent: agent, run: link.run)
    guard isCurrent(turn, agent) else { return }
    var (admitted, repeated) = (0, [Int]())
    var next: AdmissionAnswer?
    if case .toolCalls(let calls) = entry {
      (admitted, repeated) = admit(calls, agent: agent)
      next = foretellAdmission()
    }
    try link.send(
      .recorded(
        turn: turn,
        entryID: entry.id,
        admittedCalls: admitted,
        repeatedCalls: repeated,
        next: next
      )
    )
    // Last, because nobody computes while the worker waits.
    show(records, agent: agent)
  }

  /// Accepts an entry that nobody waits for.
  func hold(
    _ entry: Transcript.Entry,
    figures: RequestFigures?,
    turn: Int,
    agent: String
  ) async throws {
    guard isCurrent(turn, agent), let run = seats[agent]?.link.run else {
      return try noteStray(agent)
    }
    if case .toolCalls = entry { throw ConversationError.unawaitedCalls(agent: agent) }
    try checkPlace(of: entry, figures, agent: agent)
    try self.turn?.quota.take(entries: 1)
    let payload = try payload(of: entry, figures, agent)
    var held = self.turn?.held ?? HeldEntries(agent: agent, run: run)
    // The cost of a request decides whether the next one is admitted, so it is written at once.
    guard figures == nil, held.take(payload) else {
      let records = try await write(payload, figures, turn: turn, agent: agent, run: run)
      return show(records, agent: agent)
    }
    self.turn?.held = held
    guard !isHolding else { return }
    isHolding = true
    // Unstructured, because the worker's next message must not wait for it.
    Task { await self.writeOverdue() }
  }

  /// Journals the result of a call whose output entry must wait for those of earlier calls.
  func keepEarly(_ entry: Transcript.Entry, turn: Int, agent: String) async throws {
    guard isCurrent(turn, agent) else { return try noteStray(agent) }
    try self.turn?.quota.take(entries: 1)
    let payload = try payload(of: entry, nil, agent)
    guard case .toolOutput(let output) = entry,
      self.turn?.round?.keepEarly(output, bytes: payload.size) == true
    else { return }
    try self.turn?.quota.take(bytes: payload.size)
    try await services.journal.keepEarly(
      payload,
      conversation: record.id,
      turn: Int64(turn),
      agent: agent
    )
  }

  /// Checks that an output belongs to a call that has none yet, and that an answer and other calls
  /// come only when all calls have one.
  private func checkPlace(
    of entry: Transcript.Entry,
    _ figures: RequestFigures?,
    agent: String
  ) throws {
    switch entry {
    case .toolOutput(let output):
      guard openCalls.contains(output.id) else {
        throw ConversationError.strayOutput(output.id, agent: agent)
      }
    case .toolCalls: try checkOutputs(agent: agent)
    // Without figures it is text alongside calls, and no answer.
    case .response where figures != nil: try checkOutputs(agent: agent)
    case .response, .instructions, .prompt, .reasoning: break
    }
  }

  /// Checks that all calls of the current turn have outputs.
  func checkOutputs(agent: String) throws {
    guard let call = openCalls.first else { return }
    throw ConversationError.missingOutput(call, agent: agent)
  }

  /// The calls of the current turn without outputs; a held output is one.
  private var openCalls: [String] {
    var calls = turn?.round?.calls ?? []
    // A model may give several calls of a round the same identity.
    for call in turn?.held?.answeredCalls ?? [] {
      if let index = calls.firstIndex(of: call) { calls.remove(at: index) }
    }
    return calls
  }

  /// Encodes an entry for the journal.
  /// - Throws: `ConversationError` for an entry too large to send to another worker.
  private func payload(
    of entry: Transcript.Entry,
    _ figures: RequestFigures?,
    _ agent: String
  ) throws -> EntryPayload {
    let payload = try EntryPayload(entry, figures.map(RequestRecord.init))
    let (bytes, limit) = (payload.size, EntryLimit.bytes)
    guard bytes <= limit else {
      throw ConversationError.entryTooLarge(agent: agent, bytes: bytes, limit: limit)
    }
    return payload
  }

  /// Counts an entry of a finished turn: a few are still on their way when a turn is stopped.
  func noteStray(_ agent: String) throws {
    guard let run = seats[agent]?.link.run, let strays = lives[run]?.strays else { return }
    guard strays < Self.maximumStrays else { throw ConversationError.strayEntries(agent: agent) }
    lives[run]?.strays = strays + 1
  }

  /// Writes the held entries before anything that may depend on them is done.
  func writeHeld(of run: RunID) async throws {
    await heldWrite?.value
    try await writeNow(of: run)
  }

  private func writeNow(of run: RunID) async throws {
    guard let active = turn, let held = active.held, held.run == run else { return }
    let turn = Int(active.id)
    let records = try await write(nil, nil, turn: turn, agent: held.agent, run: run)
    show(records, agent: held.agent)
  }

  private func writeOverdue() async {
    while let held = turn?.held {
      let due = held.since + services.entryPatience
      guard ContinuousClock.now >= due else {
        try? await Task.sleep(until: due, clock: .continuous)
        continue
      }
      // A task of its own, so that a message from the worker in the meantime can wait for it.
      let write = Task {
        do {
          try await self.writeNow(of: held.run)
        } catch {
          await self.giveUp(on: held.run, because: error)
        }
      }
      heldWrite = write
      await write.value
      heldWrite = nil
    }
    isHolding = false
  }

  /// Writes the entries that were held when a turn ended; for everybody else the turn is over.
  func write(_ held: HeldEntries, of turn: Int64) async throws -> [Transcript.Entry] {
    try await append(held.payloads, turn: turn, agent: held.agent, run: held.run).map(\.entry)
  }

  /// Writes the held entries and then this one, and records them all.
  /// - Returns: What is to be shown; nothing if the turn is over.
  private func write(
    _ payload: EntryPayload?,
    _ figures: RequestFigures?,
    turn: Int,
    agent: String,
    run: RunID
  ) async throws -> [EntryRecord] {
    let held = self.turn?.held?.payloads ?? []
    self.turn?.held = nil
    let all = held + [payload].compactMap(\.self)
    let records = try await append(all, turn: Int64(turn), agent: agent, run: run)
    if let figures { add(figures, of: run, turn: turn, agent: agent) }
    guard isCurrent(turn, agent) else { return [] }
    for record in records {
      try self.turn?.quota.take(bytes: record.size)
      self.turn?.note(record)
      seats[agent]?.known += 1
      if case .toolOutput(let output) = record.entry { self.turn?.repetition.note(output) }
    }
    return records
  }

  private func append(
    _ entries: [EntryPayload],
    turn: Int64,
    agent: String,
    run: RunID
  ) async throws -> [EntryRecord] {
    try await services.journal.append(
      entries,
      conversation: record.id,
      turn: turn,
      agent: agent,
      run: run.description
    )
  }

  /// Decides how many calls may be made, counted from the first, and which are not repeated.
  private func admit(_ calls: Transcript.ToolCalls, agent: String) -> (Int, [Int]) {
    guard let limit = turn?.budget.repeats,
      let admitted = turn?.budget.admitCalls(calls.count),
      let verdict = turn?.repetition.judge(calls, by: agent, limit: limit)
    else { return (0, []) }
    if verdict.endsLoop { turn?.budget.endLoop() }
    turn?.round = OpenRound(calls, of: agent, admitted: admitted, repeated: verdict.repeated)
    return (admitted, verdict.repeated)
  }

  private func show(_ records: [EntryRecord], agent: String) {
    guard let watch = turn?.watch else { return }
    for record in records {
      switch record.entry {
      case .toolCalls(let calls):
        for call in calls {
          let arguments = call.arguments.jsonString
          watch(.toolCall(agent: agent, tool: call.toolName, arguments: arguments))
        }
      case .toolOutput(let output):
        let text = output.segments.joinedText
        watch(.toolOutput(agent: agent, tool: output.toolName, text: text))
      case .response(let response):
        if let text = record.answer {
          watch(.answered(agent: agent, text: text))
        } else {
          watch(.said(agent: agent, text: response.segments.joinedText))
        }
      case .instructions, .prompt, .reasoning: break
      }
    }
  }
}
