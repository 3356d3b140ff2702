import Foundation
import Journal
import Synchronization
import Transcripts
import Wire

/// The processes of a conversation's workers: looks up their agents, launches them, hears them until
/// they end, and journals their launches and ends.
///
/// What they are for is decided by the turn, which has the workers as a `Team`.
final class WorkerProcesses: Sendable {
  private struct Process {
    let link: any WorkerLink
    /// The task that reads the worker's events; it ends once the worker's end is journaled.
    let reader: Task<Void, Never>
  }

  private struct State {
    var processes: [RunID: Process] = [:]
    /// The agents that are being looked up and the workers that are being started, by the runs under
    /// which they were requested.
    var launches: [RunID: Task<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  var isEmpty: Bool { state.withLock { $0.processes.isEmpty && $0.launches.isEmpty } }

  func link(_ run: RunID) -> (any WorkerLink)? { state.withLock { $0.processes[run]?.link } }

  // MARK: Beginnings

  /// Looks an agent up, for which it may have to be compiled; the turn learns of it as an input.
  func findAgent(
    named name: String,
    for purpose: WorkerPurpose,
    in turn: Int64,
    of conversation: Conversation
  ) {
    start(.new(agent: name)) {
      let agent = await conversation.services.catalog.agent(named: name)
      await conversation.post(.agentFound(agent, name: name, purpose), to: turn)
    }
  }

  /// Starts what the conversation cancels with a turn that is stopped.
  private func start(_ request: RunID, _ launch: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      // A task of its own, because the conversation keeps receiving messages meanwhile, such as one
      // that stops the turn.
      state.launches[request] = Task {
        await launch()
        self.state.withLock { $0.launches[request] = nil }
      }
    }
  }

  /// Launches a worker for an agent; the turn learns of it as an input.
  /// - Parameters:
  ///   - clock: The turn's, which stands while no host is there for the worker.
  ///   - show: Shows what the launch waits for.
  func launch(
    _ agent: LaunchableAgent,
    for purpose: WorkerPurpose,
    in turn: Int64,
    of conversation: Conversation,
    clock: HeldClock,
    show: @escaping @Sendable (TurnEvent) -> Void
  ) {
    let request = RunID.new(agent: agent.name)
    start(request) { [self] in
      let launched = Date()
      do {
        defer { clock.release() }
        let link = try await conversation.services.workers.launch(agent, run: request) { wait in
          if case .host = wait { clock.hold() }
          show(TurnEvent(wait, of: agent.name))
        }
        let worker = LaunchedWorker(
          agent: agent,
          run: link.run,
          pid: link.pid,
          launched: launched
        )
        hear(worker, link, of: conversation) {
          await conversation.post(.launched(worker, purpose), to: turn)
        }
      } catch {
        let problem = String(describing: error)
        let input = Input.launchFailed(agent: agent.name, purpose, problem: problem)
        await conversation.post(input, to: turn)
      }
    }
  }

  /// Hears what a worker says until it ends.
  /// - Parameter announce: Tells the turn of the worker, before anything that it says.
  private func hear(
    _ worker: LaunchedWorker,
    _ link: any WorkerLink,
    of conversation: Conversation,
    announce: @escaping @Sendable () async -> Void
  ) {
    state.withLock { state in
      // One reader for the worker's whole life, ending with the worker. Not cancelled with its launch,
      // because what was started is journaled.
      let reader = Task {
        await announce()
        await read(worker, link, of: conversation)
        self.state.withLock { $0.processes[link.run] = nil }
      }
      state.processes[link.run] = Process(link: link, reader: reader)
    }
  }

  private func read(
    _ worker: LaunchedWorker,
    _ link: any WorkerLink,
    of conversation: Conversation
  ) async {
    let run = worker.run
    // The worker may have been given work already; it is heard once its run is on disk.
    do {
      let start = RunStart(worker, link, isFriend: conversation.isFriend)
      try await append(.launched(start), of: worker, in: conversation)
    } catch {
      await conversation.post(.unsendable(run, error))
    }
    var exhaustion: Exhaustion?
    for await event in link.events {
      switch event {
      case .message(let message):
        if case .exhausted(let bound) = message { exhaustion = exhaustion ?? bound }
        await conversation.post(.message(message, run))
      case .ended(var death):
        // Its end was proper, but not without a reason.
        if let exhaustion, death.kind == nil { death.cause = .exhausted(exhaustion) }
        do {
          let end = RunEnd(outcome: death.description, cause: death.kind)
          try await append(.exited(end), of: worker, in: conversation)
        } catch {
          await conversation.show(.trouble(String(describing: error)))
        }
        await conversation.post(.died(run, death))
      }
    }
  }

  private func append(
    _ event: Fact.Event,
    of worker: LaunchedWorker,
    in conversation: Conversation
  ) async throws {
    try await conversation.services.journal.append(
      [event],
      in: conversation.record.id,
      agent: worker.agent.name,
      run: worker.run.description
    )
  }

  // MARK: Ends

  func cancelLaunches() {
    for launch in state.withLock({ $0.launches }).values { launch.cancel() }
  }

  /// Ends all workers, and waits until they are gone and that is journaled.
  func retireAll() async {
    cancelLaunches()
    for launch in state.withLock({ $0.launches }).values { await launch.value }
    await withTaskGroup(of: Void.self) { group in
      for process in state.withLock({ $0.processes }).values {
        group.addTask {
          // The end of one that has not ended may never come.
          if await !process.link.retire() { process.reader.cancel() }
          await process.reader.value
        }
      }
    }
  }
}

extension RunStart {
  fileprivate init(_ worker: LaunchedWorker, _ link: any WorkerLink, isFriend: Bool) {
    let agent = worker.agent
    self.init(
      role: isFriend ? .friend : .baton,
      pid: link.pid,
      launcher: agent.launcher,
      host: link.host,
      model: agent.declaration?.serverModel
        ?? agent.model.map { URL(filePath: $0).lastPathComponent },
      log: link.log,
      started: worker.launched
    )
  }
}

extension TurnEvent {
  /// What an agent's worker waits for.
  fileprivate init(_ obstacle: LaunchObstacle, of agent: String) {
    self =
      switch obstacle {
      case .memory(let wait): .memoryAwaited(agent: agent, wait)
      case .host(let wait): .hostAwaited(agent: agent, wait)
      case .elsewhere(let reason): .trouble(reason)
      }
  }
}

extension WorkerLink {
  /// Sends an order.
  ///
  /// Content that makes it too long for one message, such as a few photographs, is sent before it.
  /// - Throws: `WireBreach` for a single entry or property that is too long.
  func send(_ order: TurnOrder, as message: (TurnOrder) -> ToWorker) throws {
    do {
      try send(message(order))
    } catch WireBreach.messageTooLong where !order.added.isEmpty || !order.properties.isEmpty {
      try send(order.properties.sorted { $0.key < $1.key }[...])
      try send(order.added[...], after: order.kept)
      var rest = order
      rest.kept += rest.added.count
      (rest.added, rest.properties) = ([], [:])
      try send(message(rest))
    }
  }

  private func send(_ properties: ArraySlice<(key: String, value: String)>) throws {
    guard !properties.isEmpty else { return }
    let values = Dictionary(uniqueKeysWithValues: properties.map { ($0.key, $0.value) })
    do {
      try send(.properties(values))
    } catch WireBreach.messageTooLong where properties.count > 1 {
      let half = properties.count / 2
      try send(properties.prefix(half))
      try send(properties.dropFirst(half))
    }
  }

  private func send(_ entries: ArraySlice<RawEntry>, after kept: Int) throws {
    guard !entries.isEmpty else { return }
    do {
      try send(.history(kept: kept, added: Array(entries)))
    } catch WireBreach.messageTooLong where entries.count > 1 {
      let half = entries.count / 2
      try send(entries.prefix(half), after: kept)
      try send(entries.dropFirst(half), after: kept + half)
    }
  }
}
