import AgentKit
import Foundation
import Journal
import Wire

extension Conversation {
  /// Has the agent that holds the baton go on with the turn.
  func giveTurnToHolder() async {
    guard let active = turn else { return }
    do {
      let seat = try await seat(for: holder)
      // The actor was left while the worker started: the turn may be over, or another one.
      guard turn?.id == active.id else { return }
      if let exit = turn?.stopping {
        await endTurn(exit, reverting: true)
        return
      }
      turn?.run = seat.link.run
      let whole = history + active.entries
      try seat.link.send(.turn(seat.order(turn: active.id, history: whole)))
      seats[holder]?.known = whole.map(\.id)
    } catch {
      await endTurn(.failed(String(describing: error)), reverting: true)
    }
  }

  /// The seat of an agent, with a worker that runs its latest plugin.
  private func seat(for name: String) async throws -> Seat {
    guard let agent = await services.catalog.agent(named: name) else {
      throw SeatError.noAgent(name)
    }
    if let seat = seats[name] {
      if seat.agent == agent { return seat }
      // Changed since: the next turn goes to a new process, and nothing is ever unloaded.
      seats[name] = nil
      let link = seat.link
      Task { await link.retire() }
    }
    let run = RunID.new(agent: name)
    let link = try await services.workers.launch(agent, run: run)
    let seat = Seat(agent: agent, link: link, launched: Date())
    seats[name] = seat
    try await services.journal.beginRun(
      RunRecord(
        id: run.description,
        agent: name,
        isFriend: isFriend,
        conversation: record.id,
        pid: link.pid,
        launcher: agent.launcher,
        model: agent.model.map { URL(filePath: $0).lastPathComponent },
        log: link.log,
        started: seat.launched
      )
    )
    if isFriend {
      turn?.watch(.friendPhoned(agent: name, pid: link.pid, run: run.description))
    }
    // One reader for the whole life of the worker; it ends with the worker.
    Task {
      for await event in link.events { await self.receive(event, from: run) }
    }
    return seat
  }

  /// The name of the agent at whose seat a worker sits.
  func agent(of run: RunID) -> String? {
    seats.first { $0.value.link.run == run }?.key
  }

  /// The workers of this conversation, as a person is shown them.
  func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for (name, seat) in seats.sorted(by: { $0.key < $1.key }) {
      let responds = turn?.run == seat.link.run
      var friends: [WorkerStatus] = []
      if responds {
        for friend in turn.map({ Array($0.friends.values) }) ?? [] {
          friends += await friend.workers()
        }
      }
      statuses.append(
        WorkerStatus(
          run: seat.link.run.description,
          pid: seat.link.pid,
          agent: name,
          conversation: title,
          role: isFriend ? .friend : name == holder ? .baton : .waiting,
          state: !seat.isReady ? .loading : responds ? .responding : .idle,
          model: seat.model,
          tokensIn: seat.figures.tokensIn,
          tokensCached: seat.figures.tokensCached,
          tokensOut: seat.figures.tokensOut,
          tokensPerSecond: seat.figures.seconds > 0
            ? Double(seat.figures.tokensOut) / seat.figures.seconds : 0,
          memory: seat.link.memory,
          launched: seat.launched,
          launcher: seat.agent.launcher,
          friends: friends
        )
      )
    }
    return statuses
  }
}

/// Why an agent cannot take its seat.
enum SeatError: Error, CustomStringConvertible {
  case noAgent(String)

  var description: String {
    switch self {
    case .noAgent(let name): "There is no agent named '\(name)' any more."
    }
  }
}
