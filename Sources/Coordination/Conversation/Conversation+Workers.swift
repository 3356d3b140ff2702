import Foundation
import Journal
import Transcripts
import Wire

// The workers of a conversation while they are idle, their cores, and their ends.

extension Conversation {
  // MARK: Idle workers

  /// Ends the workers, unless a turn has them.
  func retireWorkers() {
    guard turn == nil else { return }
    for run in vacateIdle() { retire(run) }
  }

  /// The time since the last answer, or since the conversation was opened.
  ///
  /// By a clock that is never set: after a leap of the calendar, nothing is idle that was just used.
  var idleTime: Duration { (status.lastAnswer ?? status.opened).duration(to: .now) }

  /// Whether the conversation was idle for some time, has nothing under way and is fully journaled.
  func isAtRest(for time: Duration) -> Bool {
    turn == nil && processes.isEmpty && friends.all.isEmpty && unwrittenEnd == nil
      && idleTime > time
  }

  /// Ends workers that are not needed now, because others need their memory.
  ///
  /// When they are needed again, they are started anew and told everything.
  /// - Returns: Whether there were any; on return they are gone.
  func retireIdleWorkers() async -> Bool {
    let links = vacateIdle().compactMap(processes.link)
    await withTaskGroup(of: Void.self) { group in
      for link in links { group.addTask { await link.retire() } }
    }
    return !links.isEmpty
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
    for run in team.runs.keys where turn?.turn.needs(run) != true {
      cores.takeBack(from: run)
    }
  }

  /// Tells the watcher that a worker of this turn, or one of its friends, waits for a core.
  func show(_ wait: CoreWait) async {
    if let agent = team.agent(of: wait.run) {
      guard turn?.turn.run == wait.run else { return }
      show(.coreAwaited(agent: agent, place: wait.place, cores: wait.cores))
    } else {
      for friend in friends.running.values { await friend.show(wait) }
    }
  }

  // MARK: Closing

  /// Stops the current turn and ends all workers; returns when they are gone, which is journaled.
  func close() async {
    status.isClosed = true
    let friends = friends.all.values
    if let turn { await leave(turn: turn.id) }
    // What still cannot be written is handled by the next start, as a turn without an end.
    try? await writeEnd()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [processes] in await processes.retireAll() }
      for friend in friends { group.addTask { await friend.close() } }
    }
  }
}
