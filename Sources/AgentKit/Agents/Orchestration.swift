/// What an agent can ask of the process that runs it: to pass the baton, and to phone a friend.
package protocol Orchestration: Sendable {
  /// Passes the baton, unless another call of this turn has, or the agent cannot take it.
  func passBaton(to agent: String) async throws -> BatonAnswer

  /// Asks a friend and waits for its answer.
  func phone(_ agent: String, with prompt: String, for call: Transcript.ToolCall) async throws
    -> FriendAnswer
}

/// What came of passing the baton.
package struct BatonAnswer: Sendable, Equatable {
  /// Who holds it now.
  package let holder: String
  /// Why the agent that was named cannot take it; `nil` when it can, or was not asked.
  package let refusal: String?

  package init(holder: String, refusal: String? = nil) {
    self.holder = holder
    self.refusal = refusal
  }
}

package enum OrchestrationContext {
  /// The process that runs the session; `nil` in a session on its own.
  @TaskLocal package static var current: (any Orchestration)?
}

/// A tool needs what only `orchestrator` can give.
struct NotOrchestrated: Error, CustomDebugStringConvertible {
  let tool: String

  var debugDescription: String {
    "'\(tool)' needs other agents; run this agent with orchestrator."
  }
}
