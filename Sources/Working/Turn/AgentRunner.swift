import AgentKit
import Synchronization
import Wire

/// Runs the turns of one agent, one at a time.
actor AgentRunner {
  private let session: LanguageModelSession
  private let outbox: Outbox
  private nonisolated let requests = Mutex<TurnRequests?>(nil)
  private let resources: ResourceWatch
  /// The history that the coordinator knows this worker to have.
  private var entries = Transcript.HistoryView()
  /// The session properties as the coordinator has them.
  private var properties: [String: String] = [:]
  private var current: (requests: TurnRequests, task: Task<Void, Never>)?
  /// The latest check of whether an order would fit; later checks and turns wait for it.
  private var measuring: Task<Void, Never>?

  init(agent: sending some Agent, outbox: Outbox, resources: ResourceWatch = ResourceWatch()) {
    session = LanguageModelSession(profile: agent)
    self.outbox = outbox
    self.resources = resources
  }

  /// Delivers a reply of the coordinator, on any thread, so that the waiting code need not wait for
  /// this actor as well.
  ///
  /// - Returns: Whether nothing remains to be done about the message.
  nonisolated func deliverReply(_ message: ToWorker) -> Bool {
    switch message {
    case .reply(let id, let reply):
      requests.withLock { $0 }?.receive(reply, to: id)
      return true
    case .cancel(let turn, let cap):
      // The rest of a cancellation takes its turn, which replies that follow do not.
      if let requests = requests.withLock({ $0 }), requests.turn == turn {
        requests.cancel(cap: cap)
      }
      return false
    case .hello, .history, .properties, .turn, .fit, .cores, .yieldCores, .fork, .ping, .showPrompt,
      .shutdown:
      return false
    }
  }

  func handle(_ message: ToWorker) throws {
    switch message {
    case .history(let kept, let added): try append(added, keeping: kept)
    case .properties(let values):
      try expectNoTurn(for: "properties")
      receive(properties: values)
    case .turn(let order): try begin(order)
    case .fit(let id, let order): try measure(order, for: id)
    case .cancel(let turn, let cap):
      guard let current, current.requests.turn == turn else { return }
      current.requests.cancel(cap: cap)
      // Before its requests end, so that code that waits for one finds its task cancelled.
      current.task.cancel()
      current.requests.end()
    case .reply, .hello, .cores, .yieldCores, .fork, .ping, .showPrompt, .shutdown:
      throw WireBreach.outOfTurn(message.kindName)
    }
  }

  private func append(_ added: [RawEntry], keeping kept: Int) throws {
    try expectNoTurn(for: "entries")
    try expectKnown(kept)
    entries.removeLast(entries.count - kept)
    entries += added.map(\.entry)
  }

  private func expectNoTurn(for what: String) throws {
    guard let current else { return }
    throw WireBreach.outOfTurn("\(what) during turn \(current.requests.turn)")
  }

  private func expectKnown(_ kept: Int) throws {
    guard kept > entries.count else { return }
    throw WireBreach.outOfTurn("\(kept) entries are to be kept of \(entries.count)")
  }

  private func receive(properties values: [String: String]) {
    session.properties.receive(values)
    properties.merge(values) { $1 }
  }

  private func begin(_ order: TurnOrder) throws {
    try append(order.added, keeping: order.kept)
    receive(properties: order.properties)
    Log.write("turn \(order.turn): \(order.kept) entries known, \(order.added.count) new")
    // A task, so that this actor can receive the cancellation of the turn.
    let before = measuring
    let arrival = SuspendingClock.now
    let requests = requests.withLock { requests in
      let new = TurnRequests(turn: order.turn, after: requests) { [outbox] in outbox.send($0) }
      requests = new
      return new
    }
    let task = Task {
      await before?.value
      await run(order, requests, since: arrival)
    }
    current = (requests, task)
  }

  /// Answers whether an order would fit, and keeps none of its entries.
  private func measure(_ order: TurnOrder, for id: Int) throws {
    try expectNoTurn(for: "a question")
    try expectKnown(order.kept)
    // A task, like a turn, so that this actor keeps receiving messages.
    let before = measuring
    let history = entries.prefix(order.kept) + order.added.map(\.entry)
    measuring = Task {
      await before?.value
      let fit = await contextFit(of: history, order.properties, order.options)
      outbox.send(.fit(id: id, fit))
    }
  }

  private func contextFit(
    of history: Transcript.HistoryView,
    _ properties: [String: String],
    _ options: TurnOptions?
  ) async -> ContextFit {
    receive(properties: properties)
    session.replaceHistory(with: history)
    do {
      return try await session.contextFit(options)
    } catch {
      // What cannot be counted now is reported when the model is asked.
      Log.write("the context cannot be counted: \(error)")
      return ContextFit(tokens: 0, window: 0)
    }
  }

  /// Waits until the current work is done.
  func finish() async {
    await measuring?.value
    await current?.task.value
  }

  private func run(
    _ order: TurnOrder,
    _ requests: TurnRequests,
    since arrival: SuspendingClock.Instant
  ) async {
    let host = CoordinatorHost(
      order,
      since: arrival,
      session: session,
      history: entries,
      properties: properties,
      outbox: outbox,
      requests: requests,
      resources: resources
    )
    session.replaceHistory(with: entries)
    let ending = await OrchestrationContext.$current.withValue(host) {
      let ending = await Self.run(session, host: host)
      // Records what hooks wrote at the end. A turn that was cancelled can record nothing more.
      try? await host.recordState(includesHistory: ending.leavesHistory)
      return ending
    }
    requests.end()
    host.returnAdmission()
    Log.write("turn \(order.turn) ended: \(ending)")
    entries = host.history
    properties = host.properties
    current = nil
    // Before the ending, which it may explain.
    host.checkResources()
    outbox.send(.ended(turn: order.turn, ending))
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
      // An answer that could not be recorded ended with its turn.
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
    case .contextSizeExceeded(let problem):
      self = .contextSizeExceeded(problem: problem, keepsEntries: keepsEntries)
    case .refused(let reason): self = .refused(reason: reason, keepsEntries: keepsEntries)
    case .failed(let problem): self = .failed(problem: problem, keepsEntries: keepsEntries)
    }
  }

  /// Whether the session has the conversation's history; a turn that threw has its old one back.
  fileprivate var leavesHistory: Bool {
    switch self {
    case .answered, .modeChanged, .finalAnswer, .passed: true
    case .failed(_, let keepsEntries), .refused(_, let keepsEntries), .cap(_, let keepsEntries),
      .contextSizeExceeded(_, let keepsEntries):
      keepsEntries
    case .cancelled: false
    }
  }
}
