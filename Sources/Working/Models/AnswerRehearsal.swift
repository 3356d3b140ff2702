import AgentKit
import Llama

/// Answers a question that nobody asked, so that the memory a fork must copy is copied before
/// somebody waits.
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
      try await engine.rehearseAnswer(
        instructions: agent.instructions,
        tools: agent.tools,
        reasoningLevel: agent.reasoningLevel,
        cancel: cancel
      )
    } catch {
      // The first answer then does what was not rehearsed.
      Log.write("the rehearsal ended early: \(error)")
    }
  }

  /// Ends the rehearsal, because somebody waits for the core.
  func stop() { cancel.set() }
}
