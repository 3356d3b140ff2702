import Foundation
import Journal
import Transcripts
import Wire

// The workers of a conversation: their launches, their events, and their ends.

extension Conversation {
  /// Finds or launches a worker for an agent; the turn learns of it as an input.
  func seat(_ name: String, for purpose: SeatPurpose) {
    guard let id = turn?.id else { return }
    let run = RunID.new(agent: name)
    // A task of its own, because the conversation keeps receiving messages meanwhile, such as one
    // that stops the turn.
    let launch = Task {
      var problem: SeatProblem?
      do {
        try await seat(name, run, in: id)
      } catch let error as SeatProblem {
        problem = error
      } catch {
        problem = .failed(String(describing: error))
      }
      await post(.seated(agent: name, purpose, problem), to: id)
      // Only now, because a worker that is awaited is not retired as an idle one.
      processes.removeLaunch(run)
    }
    processes.addLaunch(run, launch)
  }

  private func seat(_ name: String, _ request: RunID, in id: Int64) async throws {
    guard let agent = await services.catalog.agent(named: name) else {
      throw SeatProblem.noAgent(name)
    }
    guard isGoingOn(id) else { return }
    if team.worker(of: agent) != nil { return }
    // The plugin changed, or the worker has used something up: the turn goes to a new process.
    if let former = team.slots[name]?.run {
      team.vacate(former)
      retire(former)
    }
    let launched = Date()
    let watch = turn?.watch
    let clock = HeldClock(self, turn: id)
    defer { clock.release() }
    let link = try await services.workers.launch(agent, run: request) { obstacle in
      switch obstacle {
      case .memory(let wait): watch?(.memoryAwaited(agent: agent.name, wait))
      case .host(let wait):
        clock.hold()
        watch?(.hostAwaited(agent: agent.name, wait))
      case .elsewhere(let reason): watch?(.trouble(reason))
      }
    }
    let start = RunStart(
      role: isFriend ? .friend : .baton,
      pid: link.pid,
      launcher: agent.launcher,
      host: link.host,
      model: agent.declaration?.serverModel
        ?? agent.model.map { URL(filePath: $0).lastPathComponent },
      log: link.log,
      started: launched
    )
    // One reader for the worker's whole life, ending with the worker. Not cancelled with this task,
    // because what was started is journaled.
    let reader = Task { await read(link, start, agent: agent.name) }
    processes.add(link, reader: reader)
    team.runs[link.run] = RunState(request: request, turn: id, launched: launched)
    if isFriend {
      status.lastWatch?(
        .friendPhoned(agent: agent.name, pid: link.pid, run: link.run.description)
      )
    }
    // The actor was suspended: no worker is seated for a turn that is over.
    guard isGoingOn(id) else { return retire(link.run) }
    team.fill(agent, with: link.run)
  }

  private func isGoingOn(_ id: Int64) -> Bool {
    turn.map { $0.id == id && $0.turn.phase != .ended } ?? false
  }

  /// Reads what a worker says until it ends.
  private func read(_ link: any WorkerLink, _ start: RunStart, agent: String) async {
    let run = link.run
    // The worker may be given work in the meantime; it is heard once its run is on disk.
    do {
      try await appendRun(.launched(start), run, agent: agent)
    } catch {
      await post(.unsendable(run, error))
    }
    for await event in link.events {
      switch event {
      case .message(let message): await post(.message(message, run))
      case .ended(let death): await end(of: run, death, agent: agent)
      }
    }
    processes.remove(run)
    team.runs[run] = nil
  }

  private func appendRun(_ event: Fact.Event, _ run: RunID, agent: String) async throws {
    try await services.journal.append(
      [event],
      in: record.id,
      agent: agent,
      run: run.description
    )
  }

  private func end(of run: RunID, _ death: Death, agent: String) async {
    var death = death
    // Its end was proper, but not without a reason.
    if let exhaustion = team.runs[run]?.exhaustion, death.kind == nil {
      death.cause = .exhausted(exhaustion)
    }
    do {
      let end = RunEnd(outcome: death.description, cause: death.kind)
      try await appendRun(.exited(end), run, agent: agent)
    } catch {
      status.lastWatch?(.trouble(String(describing: error)))
    }
    if isFriend, let state = team.runs[run], let link = processes.link(run) {
      status.lastWatch?(
        .friendGone(
          agent: record.holder,
          pid: link.pid,
          run: run.description,
          tokens: state.usage.tokensIn + state.usage.tokensOut,
          seconds: Date().timeIntervalSince(state.launched)
        )
      )
    }
    await post(.died(run, death))
  }

  // MARK: Idle workers

  /// Ends the workers if nothing was asked for some time.
  ///
  /// The next prompt starts new ones, which have to read everything again.
  func retireWorkers(idleFor time: Duration) async {
    if turn?.isPaused == true, idleTime > time { await park() }
    guard turn == nil, status.lastAnswer != nil, idleTime > time else { return }
    for run in team.slots.values.map(\.run) {
      team.vacate(run)
      retire(run)
    }
  }

  /// The time since the last answer, or since the conversation was opened.
  ///
  /// By a clock that is never set: after a leap of the calendar, nothing is idle that was just used.
  var idleTime: Duration { (status.lastAnswer ?? status.opened).duration(to: .now) }

  /// Whether the conversation was idle for some time, has nothing under way and is fully journaled.
  func isAtRest(for time: Duration) -> Bool {
    !isBusy && turn == nil && processes.isEmpty && friends.isEmpty && recovery.isAtRest
      && idleTime > time
  }

  /// Ends workers that are not needed now, because others need their memory.
  ///
  /// When they are needed again, they are started anew and told everything.
  /// - Returns: Whether there were any; on return they are gone.
  func retireIdleWorkers() async -> Bool {
    let idle = team.slots.filter { name, slot in
      guard let turn else { return true }
      return !turn.needs(slot.run) && !turn.mayHold(name) && !isAwaited(slot.run)
    }
    let links = idle.values.compactMap { processes.link($0.run) }
    for slot in idle.values { team.vacate(slot.run) }
    await withTaskGroup(of: Void.self) { group in
      for link in links { group.addTask { await link.retire() } }
    }
    return !links.isEmpty
  }

  /// Whether a worker was launched and its turn has not yet learned that it is there.
  private func isAwaited(_ run: RunID) -> Bool {
    team.runs[run].map { processes.isLaunching($0.request) } ?? false
  }

  // MARK: Cores

  /// Takes back the cores of workers that have nothing to compute.
  ///
  /// A turn's cores are free when it ends, whatever its worker says.
  func takeBackCores() async {
    takeBackOwnCores()
    for friend in friends.running.values { await friend.takeBackCores() }
  }

  func takeBackOwnCores() {
    guard let cores = services.cores else { return }
    for run in processes.runs where turn?.needs(run) != true && !isAwaited(run) {
      cores.takeBack(from: run)
    }
  }

  /// Tells the watcher that a worker of this turn, or one of its friends, waits for a core.
  func show(_ wait: CoreWait) async {
    if let agent = team.agent(of: wait.run) {
      guard turn?.turn.run == wait.run else { return }
      turn?.watch(.coreAwaited(agent: agent, place: wait.place, cores: wait.cores))
    } else {
      for friend in friends.running.values { await friend.show(wait) }
    }
  }

  // MARK: Closing

  /// Stops the current turn and ends all workers; returns when they are gone, which is journaled.
  func close() async {
    status.isClosed = true
    if let wait = recovery.wait {
      // A turn that does not go on yet is left to the next coordinator.
      wait.cancel()
      _ = await recovery.resuming?.result.value
    }
    status.isCancelRequested = true
    let friends = friends.all.values
    if let turn { await post(.stop(.cancelled, leavesOpen: true), to: turn.id) }
    // What still cannot be written is handled by the next start, as a turn without an end.
    try? await writeEnd()
    processes.cancelLaunches()
    await processes.finishLaunches()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [processes] in await processes.retireAll() }
      for friend in friends { group.addTask { await friend.close() } }
    }
  }
}
