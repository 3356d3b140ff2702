import AgentKit
import Foundation
import Journal
import Wire

extension Conversation {
  /// How long a worker may take to stop before it is killed.
  private static let stopPatience = Duration.seconds(2)

  /// Stops a turn: its worker, and the friends that it has on the phone.
  func stop(turn id: Int64, because exit: TurnExit) {
    guard turn?.id == id, turn?.stopping == nil else { return }
    turn?.stopping = exit
    for friend in turn.map({ Array($0.friends.values) }) ?? [] {
      // The friend has an actor of its own.
      Task { await friend.cancel() }
    }
    guard let run = turn?.run, let link = seats.values.first(where: { $0.link.run == run })?.link
    else { return }
    try? link.send(.cancel(turn: Int(id)))
    // A worker that does not hear ends by force; its death then ends the turn.
    Task {
      try? await Task.sleep(for: Self.stopPatience)
      if self.turn?.id == id { link.kill() }
    }
  }

  /// Ends the turn that a worker was answering, if it was.
  func fail(_ run: RunID?, _ exit: TurnExit) async {
    guard let active = turn, active.run == run else { return }
    await endTurn(active.stopping ?? exit, reverting: true)
  }

  /// A worker is gone: its seat is free, and its turn is over.
  func end(of agent: String, _ run: RunID, _ death: Death) async {
    seats[agent] = nil
    await journalEnd(of: run, death)
    var problem = "The worker of '\(agent)' is gone: \(death)."
    if let line = death.lastLines.last, death.cause != .farewell(.done) {
      problem += " Its last words: \(line)"
    }
    await fail(run, .failed(problem))
  }

  func journalEnd(of run: RunID, _ death: Death) async {
    do {
      try await services.journal.endRun(run.description, outcome: death.description)
    } catch {
      turn?.watch(.trouble(String(describing: error)))
    }
  }

  /// Ends the turn, exactly once, and tells whoever asked.
  func endTurn(_ exit: TurnExit, reverting: Bool) async {
    guard let active = turn else { return }
    turn = nil
    if reverting {
      holder = active.holderBefore
    } else {
      history += active.entries
    }
    do {
      try await services.journal.endTurn(
        active.id,
        exit: exit,
        revertingTo: reverting ? active.holderBefore : nil
      )
    } catch {
      active.watch(.trouble(String(describing: error)))
    }
    let summary = TurnSummary(
      turn: active.id,
      exit: exit,
      holder: holder,
      answer: reverting ? nil : active.answer,
      figures: active.figures,
      seconds: Date().timeIntervalSince(active.started)
    )
    active.watch(.ended(summary))
    active.finish(TurnResult(summary: summary, budget: active.budget))
  }
}
