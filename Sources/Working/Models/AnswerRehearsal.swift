import AgentKit
import Llama

/// Answers a made-up question, so that the memory that a fork has to copy is copied ahead of need.
struct AnswerRehearsal: Sendable {
  private let engine: LlamaEngine
  private let agent: AgentDescription
  private let cancel = CancelFlag()

  init(engine: LlamaEngine, agent: AgentDescription) {
    self.engine = engine
    self.agent = agent
  }

  func run() async {
    do {
      try Rehearsal.run()
      try await Rehearsal.runTurn()
      try await engine.rehearseAnswer(of: agent, cancel: cancel)
    } catch {
      // The first answer then does what was not rehearsed.
      Log.write("the rehearsal ended early: \(error)")
    }
  }

  /// Ends the rehearsal, because the core is wanted for a turn.
  func stop() { cancel.set() }
}
