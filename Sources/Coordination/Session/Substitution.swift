import Journal
import Transcripts

// Who answers where the holder of the baton is gone, or is not the agent that was asked for.

extension AgentCatalog {
  /// Returns the move of the baton from a holder that is gone to the agent that begins
  /// conversations; `nil` for a holder that is there.
  /// - Throws: `ConversationError.unusableAgent` for a holder that only does not compile, because a
  ///   substitute has the baton for good.
  func substitution(for holder: String) async throws(ConversationError) -> BatonPass? {
    guard await agent(named: holder) == nil else { return nil }
    if let problem = await problem(of: holder) {
      throw .unusableAgent(holder, problem: problem)
    }
    guard let beginner = await beginner(), beginner != holder,
      // Checked again: agents that could not be listed for a moment may be back.
      await agent(named: holder) == nil
    else { return nil }
    return BatonPass(from: holder, to: beginner, callID: nil)
  }

  /// Checks that the functions of a client can be offered to the agent that answers first.
  ///
  /// Where a profile takes other tools later, or the baton goes to another agent, the turn fails.
  func check(
    _ functions: [ClientTool],
    offeredTo holder: String
  ) async throws(ConversationError) {
    let agent = await agent(named: holder)
    guard let declaration = agent?.declaration, declaration.takesClientTools else { return }
    let known = Set(declaration.tools.map(\.name))
    if let function = functions.first(where: { known.contains($0.name) }) {
      throw .toolNameConflict(tool: function.name, agent: holder)
    }
  }
}

extension BatonPass {
  /// What those who watch are shown of a holder that is gone.
  var eventsOfSubstitution: [TurnEvent] {
    [
      .trouble("\(from) is not available: another agent answers in its place."),
      .batonPassed(from: from, to: to),
    ]
  }
}

extension TurnEvent {
  /// The message that the conversation goes on with a different agent than requested.
  package static func correction(
    of session: String,
    goingOnWith holder: String,
    beginner: String
  ) -> String {
    "session '\(session)' continues with \(holder), which holds its baton; --agent \(beginner)"
      + " applies to new sessions only: name one with --session"
  }
}
