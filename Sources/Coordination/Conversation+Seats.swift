import Foundation
import Journal
import Transcripts
import Wire

extension Conversation {
  /// Gives the turn to an agent.
  func giveTurn(to agent: String) async {
    guard let active = turn else { return }
    active.attempts += 1
    let attempt = active.attempts
    do {
      if active.stopping == nil { try await seat(agent, for: active.id) }
      // The actor was suspended while the worker started: the turn may be over, another one, or
      // with yet another worker.
      guard turn === active, active.attempts == attempt else { return }
      if let exit = turn?.stopping {
        await endTurn(exit, reverting: true)
        return
      }
      // A worker that is gone again has been noticed, or is about to be.
      guard let seat = seats[agent] else { return }
      turn?.run = seat.link.run
      turn?.isHeard = false
      turn?.partial = PartialText()
      var order = order(for: seat, agent: agent, turn: active)
      var open: [Transcript.ToolCall] = []
      if let round = turn?.round, round.agent == agent {
        open = round.open
        order.openCalls = round.progress(turn?.approvals ?? [:])
        // One of the round's calls may have passed the baton and have its output already.
        order.hasPassedBaton = holder != agent
      }
      // An agent may have removed calls from the history, or outputs from behind other calls.
      if active.history.openCalls != open { order.unfinishedCalls = open }
      order.admission = foretellAdmission()
      // Sending does not fail for a worker that is gone; its end arrives as an event.
      try seat.link.send(order) { .turn($0) }
      seats[agent]?.known = active.history.count
      seats[agent]?.properties = properties
      lives[seat.link.run]?.strays = 0
    } catch {
      guard turn?.id == active.id else { return }
      await endTurn(.failed(String(describing: error)), reverting: true)
    }
  }

  /// Whether the turn is with a worker kept from an earlier turn that has not spoken in this one.
  ///
  /// It may have died while nobody needed it, and nothing is lost when another takes its place.
  func isLeftOver(_ run: RunID) -> Bool {
    guard let active = turn, active.run == run, !active.isHeard, let life = lives[run] else {
      return false
    }
    return life.turn != active.id
  }

  /// Seats an agent with a worker that runs its latest plugin.
  /// - Parameter takesTurn: Whether the turn goes to the worker, so that its end is the turn's.
  func seat(_ name: String, for turn: Int64, takesTurn: Bool = true) async throws {
    guard let agent = await services.catalog.agent(named: name) else {
      throw SeatError.noAgent(name)
    }
    guard self.turn?.id == turn else { return }
    if let seat = seats[name] {
      if seat.agent == agent, lives[seat.link.run]?.exhaustion == nil { return }
      // The plugin changed, or the worker has used something up: the turn goes to a new process.
      seats[name] = nil
      retire(seat.link.run)
    }
    let run = RunID.new(agent: name)
    // A task, so that closing the conversation can wait for it.
    let launch = Task { try await self.launch(agent, run, for: turn, takesTurn: takesTurn) }
    launches[run] = launch
    defer { launches[run] = nil }
    try await launch.value
  }

  private func launch(
    _ agent: LaunchableAgent,
    _ newRun: RunID,
    for turn: Int64,
    takesTurn: Bool
  ) async throws {
    let launched = Date()
    let watch = self.turn?.watch
    let link = try await services.workers.launch(agent, run: newRun) { wait in
      watch?(.memoryAwaited(agent: agent.name, wait))
    }
    let run = link.run
    let life = RunRecord(
      id: run.description,
      agent: agent.name,
      role: isFriend ? .friend : .baton,
      conversation: record.id,
      pid: link.pid,
      launcher: agent.launcher,
      model: agent.model.map { URL(filePath: $0).lastPathComponent },
      log: link.log,
      started: launched
    )
    // One reader for the worker's whole life, ending with the worker. Not cancelled with this task,
    // because what was started is journaled.
    let reader = Task {
      // The worker may be given work in the meantime; it is heard once its run is on disk.
      do {
        try await self.services.journal.beginRun(life)
      } catch {
        await self.giveUp(on: run, because: error)
      }
      for await event in link.events { await self.receive(event, from: run) }
      self.lives[run] = nil
    }
    lives[run] = Life(
      link: link,
      request: newRun,
      reader: reader,
      turn: turn,
      launched: launched
    )
    if isFriend {
      lastWatch?(.friendPhoned(agent: agent.name, pid: link.pid, run: run.description))
    }
    // The actor was suspended: nobody is seated for a turn that is over.
    guard self.turn?.id == turn else {
      retire(run)
      return
    }
    seats[agent.name] = Seat(agent: agent, link: link)
    // At once, so that a worker that dies before it gets the turn ends the turn.
    if takesTurn { self.turn?.run = run }
  }

  /// The time since the last answer, or since the conversation was opened.
  ///
  /// By a clock that nobody sets: after a leap of the calendar, nothing is idle that was just used.
  var idleTime: Duration { (lastAnswer ?? opened).duration(to: .now) }

  /// Ends workers that nobody needs now, because others need their memory.
  ///
  /// When they are needed again, they are started anew and told everything.
  /// - Returns: Whether there were any; on return they are gone.
  func retireIdleWorkers() async -> Bool {
    let idle = seats.filter { name, seat in
      guard let turn else { return true }
      return turn.run != seat.link.run && name != holder && fitting[seat.link.run] == nil
        && !isAwaited(seat.link.run)
    }
    for name in idle.keys { seats[name] = nil }
    await withTaskGroup(of: Void.self) { group in
      for link in idle.values.map(\.link) { group.addTask { await link.retire() } }
    }
    return !idle.isEmpty
  }

  /// Whether somebody has launched a worker and not yet learned that it is there.
  private func isAwaited(_ run: RunID) -> Bool {
    lives[run].map { launches[$0.request] != nil } ?? false
  }

  /// Returns the name of the agent whose seat a worker has.
  func agent(of run: RunID) -> String? {
    seats.first { $0.value.link.run == run }?.key
  }

  /// Takes back the cores of workers that have nothing to compute.
  ///
  /// A turn's cores are free when it ends, whatever its worker says.
  func takeBackCores() async {
    takeBackOwnCores()
    for friend in friends.values { await friend.takeBackCores() }
  }

  func takeBackOwnCores() {
    guard let cores = services.cores else { return }
    for run in lives.keys
    where run != turn?.run && fitting[run] == nil && !isAwaited(run) {
      cores.takeBack(from: run)
    }
  }

  /// Tells the watcher that a worker of this turn, or one of its friends, waits for a core.
  func tell(of wait: CoreWait) async {
    if let agent = agent(of: wait.run) {
      guard turn?.run == wait.run else { return }
      turn?.watch(.coreAwaited(agent: agent, place: wait.place, cores: wait.cores))
    } else {
      for friend in friends.values { await friend.tell(of: wait) }
    }
  }

  /// Returns the workers of this conversation as a person is shown them.
  func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for (name, seat) in seats.sorted(by: { $0.key < $1.key }) {
      let responds = turn?.run == seat.link.run
      let life = lives[seat.link.run]
      let figures = life?.figures ?? RequestFigures()
      // Read before the actor is suspended, together with the friends on the phone, so that a
      // friend that leaves in the meantime is counted once.
      var all = life?.friends ?? RequestFigures()
      all.addTokens(of: figures)
      var friends: [WorkerStatus] = []
      if responds {
        let onThePhone = self.friends
        for (id, friend) in friendsWithProcesses.sorted(by: { $0.key < $1.key }) {
          friends += await friend.workers()
          if onThePhone[id] != nil { all.addTokens(of: await friend.usedInAll()) }
        }
      }
      statuses.append(
        WorkerStatus(
          run: seat.link.run.description,
          pid: seat.link.pid,
          agent: name,
          session: title,
          role: isFriend ? .friend : name == holder ? .baton : .waiting,
          state: state(of: seat, responds: responds),
          tools: responds ? tools(of: name) : [],
          model: seat.model,
          tokensIn: all.tokensIn,
          tokensCached: all.tokensCached,
          tokensOut: all.tokensOut,
          tokensPerSecond: figures.tokensPerSecond,
          contextTokens: lives[seat.link.run]?.contextTokens,
          contextSize: windows[name],
          memory: seat.link.memory,
          launched: lives[seat.link.run]?.launched ?? Date(),
          launcher: seat.agent.launcher,
          corePlace: services.cores?.wait(of: seat.link.run)?.place,
          serverWait: responds ? turn?.serverWait?.current : nil,
          friends: friends
        )
      )
    }
    return statuses
  }

  private func tools(of agent: String) -> [String] {
    guard let turn, let round = turn.round, round.agent == agent else { return [] }
    return round.running(turn.approvals)
  }

  private func state(of seat: Seat, responds: Bool) -> WorkerStatus.State {
    guard seat.isReady else { return .loading }
    guard responds else { return .idle }
    return turn?.isAsking == true ? .asking : .responding
  }
}

/// Why an agent cannot take its seat.
enum SeatError: Error, CustomStringConvertible {
  case noAgent(String)

  var description: String {
    switch self {
    case .noAgent(let name): "There is no longer an agent named '\(name)'."
    }
  }
}

extension RequestFigures {
  /// How fast tokens were generated; 0 where a worker tells a time in which nobody could.
  fileprivate var tokensPerSecond: Double {
    let speed = Double(tokensOut) / seconds
    return speed.isFinite ? speed : 0
  }
}
