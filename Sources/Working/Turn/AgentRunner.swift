import AgentKit
import Wire

/// Runs the turns of one agent, one at a time.
actor AgentRunner {
  private let session: LanguageModelSession
  private let outbox: Outbox
  private nonisolated let replies = Replies()
  private let resources: ResourceWatch
  /// The history that the coordinator knows this worker to have.
  private var entries: [Transcript.Entry] = []
  /// The session properties as the coordinator has them.
  private var properties: [String: String] = [:]
  private var current: (turn: Int, task: Task<Void, Never>)?
  /// The latest check of whether an order would fit; later checks and turns wait for it.
  private var measuring: Task<Void, Never>?

  init(agent: sending some Agent, outbox: Outbox, resources: ResourceWatch = ResourceWatch()) {
    session = LanguageModelSession(profile: agent)
    self.outbox = outbox
    self.resources = resources
  }

  /// Delivers an answer from the coordinator, on any thread, so that the waiting code need not wait
  /// for this actor as well.
  ///
  /// - Returns: Whether the message is an answer.
  nonisolated func answer(_ message: ToWorker) -> Bool {
    switch message {
    case .admitted(let turn, let answer): replies.answer(.admission, .admission(answer), in: turn)
    case .recorded(let turn, let entryID, let calls, let repeated, let next):
      let reply = Reply.recorded(admittedCalls: calls, repeatedCalls: repeated, next: next)
      replies.answer(.recording(entryID: entryID), reply, in: turn)
    case .settled(let turn): replies.answer(.settling, .settled, in: turn)
    case .stateKept(let turn): replies.answer(.state, .stateKept, in: turn)
    case .approvalAnswered(let turn, let callID, let answer):
      replies.answer(.approval(callID: callID), .approval(answer), in: turn)
    case .batonPassed(let turn, let callID, let holder, let refusal):
      let answer = BatonAnswer(holder: holder, refusal: refusal)
      replies.answer(.baton(callID: callID), .baton(answer), in: turn)
    case .friendAnswered(let turn, let callID, let answer):
      replies.answer(.friend(callID: callID), .friend(answer), in: turn)
    case .cancel(let turn, _):
      // The rest of a cancellation takes its turn, which answers that follow do not.
      replies.close(turn: turn)
      return false
    case .hello, .history, .properties, .turn, .fit, .cores, .yieldCores, .fork, .ping, .shutdown:
      return false
    }
    return true
  }

  func handle(_ message: ToWorker) throws {
    switch message {
    case .history(let kept, let added): try learn(kept: kept, added)
    case .properties(let values): try learn(values)
    case .turn(let order): try begin(order)
    case .fit(let order): try measure(order)
    case .cancel(let turn, let cap):
      guard current?.turn == turn else { return }
      // Noted first, so that whoever is cancelled can ask for the cap.
      if let cap { replies.note(cap: cap, of: turn) }
      current?.task.cancel()
      replies.cancel(turn: turn)
    case .admitted, .recorded, .settled, .stateKept, .approvalAnswered, .batonPassed,
      .friendAnswered, .hello, .cores, .yieldCores, .fork, .ping, .shutdown:
      throw WireBreach.outOfTurn(message.kindName)
    }
  }

  private func learn(kept: Int, _ added: [Transcript.Entry]) throws {
    try expectNoTurn(for: "entries")
    try expectKnown(kept)
    entries.removeSubrange(kept...)
    entries += added
  }

  private func learn(_ values: [String: String]) throws {
    try expectNoTurn(for: "properties")
    receive(values)
  }

  private func expectNoTurn(for what: String) throws {
    guard let current else { return }
    throw WireBreach.outOfTurn("\(what) during turn \(current.turn)")
  }

  private func expectKnown(_ kept: Int) throws {
    guard kept > entries.count else { return }
    throw WireBreach.outOfTurn("\(kept) entries are to be kept of \(entries.count)")
  }

  private func receive(_ values: [String: String]) {
    session.properties.receive(values)
    properties.merge(values) { $1 }
  }

  private func begin(_ order: TurnOrder) throws {
    try learn(kept: order.kept, order.added)
    receive(order.properties)
    Log.write("turn \(order.turn): \(order.kept) entries known, \(order.added.count) new")
    // The turn must not keep this actor from hearing of a cancellation.
    let before = measuring
    let arrival = SuspendingClock.now
    let task = Task {
      await before?.value
      await run(order, since: arrival)
    }
    current = (order.turn, task)
  }

  /// Answers whether an order would fit, and then forgets its entries.
  private func measure(_ order: TurnOrder) throws {
    try expectNoTurn(for: "a question")
    try expectKnown(order.kept)
    // A task, like a turn, so that this actor keeps hearing messages. While it counts, the turn
    // that asked may end, and another may ask again.
    let before = measuring
    let history = entries.prefix(order.kept) + order.added
    measuring = Task {
      await before?.value
      await tellFit(of: order, history)
    }
  }

  private func tellFit(of order: TurnOrder, _ history: ArraySlice<Transcript.Entry>) async {
    receive(order.properties)
    session.replaceHistory(with: Transcript.HistoryView(history))
    let fit: ContextFit
    do {
      fit = try await session.contextFit()
    } catch {
      // What cannot be counted now is reported when the model is asked.
      Log.write("the context cannot be counted: \(error)")
      fit = ContextFit(tokens: 0, window: 0)
    }
    outbox.send(.fitted(turn: order.turn, fit))
  }

  /// Waits until the current work is done.
  func finish() async {
    await measuring?.value
    await current?.task.value
  }

  private func run(_ order: TurnOrder, since arrival: SuspendingClock.Instant) async {
    let turn = order.turn
    let host = CoordinatorHost(
      order,
      since: arrival,
      session: session,
      history: entries,
      properties: properties,
      outbox: outbox,
      replies: replies,
      resources: resources
    )
    session.replaceHistory(with: Transcript.HistoryView(entries))
    let ending = await OrchestrationContext.$current.withValue(host) {
      let ending = await Self.run(session, host: host)
      // Reports the last entries and what hooks wrote. A turn cancelled in the meantime reports
      // only that.
      try? await host.settle()
      try? await host.tellState(includesHistory: ending.leavesHistory)
      return ending
    }
    Log.write("turn \(turn) ended: \(ending)")
    entries = host.history
    properties = host.properties
    current = nil
    // Before the end, which may have come of it.
    host.checkResources()
    outbox.send(.ended(turn: turn, ending))
  }

  private nonisolated static func run(
    _ session: LanguageModelSession,
    host: CoordinatorHost
  ) async -> TurnEnding {
    do {
      switch try await session.run(.transcript, host: host).exit {
      case nil: return .passed
      // There is an answer; the coordinator, which does the counting, knows the cap.
      case .cap: return .answered
      case let exit?: return TurnEnding(exit, keepsEntries: true)
      }
    } catch {
      // What could not be told ended with the turn.
      if session.finalAnswer(in: error) != nil { return host.isClosed ? .finalAnswer : .cancelled }
      return TurnEnding(
        TurnExit(throwing: error),
        keepsEntries: session.preservesTranscriptOnError
      )
    }
  }
}

extension TurnEnding {
  fileprivate init(_ exit: TurnExit, keepsEntries: Bool) {
    switch exit {
    case .answered: self = .answered
    case .modeChanged: self = .modeChanged
    case .finalAnswer: self = .finalAnswer
    case .cap(let name): self = .cap(name, keepsEntries: keepsEntries)
    case .cancelled: self = .cancelled
    case .refused(let reason): self = .refused(reason: reason, keepsEntries: keepsEntries)
    case .failed(let problem): self = .failed(problem: problem, keepsEntries: keepsEntries)
    }
  }

  /// Whether the session has the conversation's history; a turn that threw has its old one back.
  fileprivate var leavesHistory: Bool {
    switch self {
    case .answered, .modeChanged, .finalAnswer, .passed: true
    case .failed(_, let keepsEntries), .refused(_, let keepsEntries), .cap(_, let keepsEntries):
      keepsEntries
    case .cancelled: false
    }
  }
}
