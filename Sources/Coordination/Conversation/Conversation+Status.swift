import Foundation
import Transcripts
import Wire

extension Conversation {
  /// Returns the workers of this conversation as a person is shown them.
  func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for (name, slot) in team.slots.sorted(by: { $0.key < $1.key }) {
      guard let link = processes.link(slot.run) else { continue }
      let responds = turn?.turn.run == slot.run
      let state = team.runs[slot.run]
      let usage = state?.usage ?? RequestUsage()
      // Read before the actor is suspended, together with the friends that are answering, so that a
      // friend that leaves in the meantime is counted once.
      var all = state?.friends ?? RequestUsage()
      all.addTokens(of: usage)
      var friends: [WorkerStatus] = []
      if responds {
        let running = self.friends.running
        for (id, friend) in self.friends.all.sorted(by: { $0.key < $1.key }) {
          friends += await friend.workers()
          if running[id] != nil { all.addTokens(of: await friend.usageInAll) }
        }
      }
      statuses.append(
        WorkerStatus(
          run: slot.run.description,
          pid: link.pid,
          agent: name,
          session: title,
          role: isFriend ? .friend : name == holder ? .baton : .waiting,
          state: self.state(of: slot, responds: responds),
          tools: responds ? tools(of: name) : [],
          model: slot.model,
          tokensIn: all.tokensIn,
          tokensCached: all.tokensCached,
          tokensOut: all.tokensOut,
          tokensPerSecond: usage.tokensPerSecond,
          contextTokens: state?.contextTokens,
          contextSize: team.windows[name],
          memory: link.memory,
          launched: state?.launched ?? Date(),
          launcher: slot.agent.launcher,
          host: link.host,
          corePlace: services.cores?.wait(of: slot.run)?.place,
          progress: link.progress,
          serverWait: responds ? serverWait : nil,
          friends: friends
        )
      )
    }
    return statuses
  }

  private var holder: String { turn?.turn.state.baton.holder ?? past.holder }

  /// The wait for a server, unless it is over.
  private var serverWait: ServerWait? {
    turn?.turn.generation.serverWait.flatMap { $0.end > .now ? $0.wait : nil }
  }

  private func tools(of agent: String) -> [String] {
    guard let round = turn?.turn.state.round, round.agent == agent else { return [] }
    return round.running
  }

  private func state(of slot: AgentSlot, responds: Bool) -> WorkerStatus.State {
    guard slot.isReady else { return .loading }
    guard responds else { return .idle }
    if turn?.turn.state.waitsForClient == true { return .waitingForClient }
    return turn?.turn.state.round?.isAsking == true ? .asking : .responding
  }
}

extension RequestUsage {
  /// How fast tokens were generated; 0 where a worker tells an impossible time.
  fileprivate var tokensPerSecond: Double {
    let speed = Double(tokensOut) / seconds
    return speed.isFinite ? speed : 0
  }
}
