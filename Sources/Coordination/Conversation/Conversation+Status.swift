import Foundation
import Transcripts
import Wire

extension Conversation {
  /// Lets a person be asked about the calls of a turn, and of the friends that it has on the phone.
  /// - Parameter id: The turn, which may be about to begin; `nil` for whichever goes on.
  func attend(turn id: Int64? = nil) async {
    if let id { status.attendedTurn = id }
    guard let active = turn, id == nil || id == active.id else { return }
    turn?.turn.isAttended = true
    for friend in friends.running.values { await friend.attend() }
  }

  /// What the conversation has come to, with the turn that goes on.
  var present: ConversationPast { turn.map { ConversationPast($0.turn.state) } ?? past }

  /// Changes what it has come to by a turn that waited on disk.
  func endPast(with state: TurnState, reverts: Bool) { past.end(state, reverts: reverts) }

  /// What this conversation and those below it have used so far.
  var usageInAll: RequestUsage {
    get async {
      var all = team.usage
      all.addTokens(of: await friends.usage)
      return all
    }
  }

  /// Returns the workers of this conversation as a person is shown them.
  func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for (name, slot) in team.slots.sorted(by: { $0.key < $1.key }) {
      guard let link = processes.link(slot.run) else { continue }
      var status = WorkerStatus(link, of: slot, in: team, turn?.turn, session: title)
      let holder = turn?.turn.state.baton.holder ?? past.holder
      status.role = isFriend ? .friend : name == holder ? .baton : .waiting
      status.corePlace = services.cores?.wait(of: slot.run)?.place
      if turn?.turn.run == slot.run {
        // Read before the actor is suspended, together with the friends that are answering, so that
        // a friend that leaves in the meantime is counted once.
        let running = friends.running
        for (id, friend) in friends.all.sorted(by: { $0.key < $1.key }) {
          status.friends += await friend.workers()
          if running[id] != nil { status.addTokens(of: await friend.usageInAll) }
        }
      }
      statuses.append(status)
    }
    return statuses
  }
}

extension WorkerStatus {
  /// Describes a worker that waits to be given something to do, or answers in a turn.
  fileprivate init(
    _ link: any WorkerLink,
    of slot: AgentSlot,
    in team: Team,
    _ turn: Turn?,
    session: String
  ) {
    let turn = turn?.run == slot.run ? turn : nil
    let name = slot.agent.name
    let run = team.runs[slot.run]
    let usage = run?.usage ?? RequestUsage()
    self.init(
      run: slot.run.description,
      pid: link.pid,
      agent: name,
      session: session,
      role: .waiting,
      state: slot.isReady ? turn?.state.ofWorker ?? .idle : .loading,
      tools: turn?.state.round.flatMap { $0.agent == name ? $0.running : nil } ?? [],
      model: slot.model,
      tokensIn: 0,
      tokensCached: 0,
      tokensOut: 0,
      tokensPerSecond: usage.tokensPerSecond,
      contextTokens: run?.contextTokens,
      contextSize: team.windows[name],
      memory: link.memory,
      launched: run?.worker.launched ?? Date(),
      launcher: slot.agent.launcher,
      host: link.host,
      corePlace: nil,
      progress: link.progress,
      serverWait: turn?.progress.serverWait.flatMap { $0.end > .now ? $0.wait : nil },
      friends: []
    )
    addTokens(of: usage)
    addTokens(of: run?.friends ?? RequestUsage())
  }

  fileprivate mutating func addTokens(of usage: RequestUsage) {
    tokensIn += usage.tokensIn
    tokensCached += usage.tokensCached
    tokensOut += usage.tokensOut
  }
}

extension TurnState {
  /// What the worker that has the turn does.
  fileprivate var ofWorker: WorkerStatus.State {
    if waitsForClient { return .waitingForClient }
    return round?.isAsking == true ? .asking : .responding
  }
}

extension RequestUsage {
  /// How fast tokens were generated; 0 where a worker tells an impossible time.
  fileprivate var tokensPerSecond: Double {
    let speed = Double(tokensOut) / seconds
    return speed.isFinite ? speed : 0
  }
}
