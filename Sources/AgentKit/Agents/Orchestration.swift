/// What an agent can ask of the process that runs it: to pass the baton, and to phone a friend.
package protocol Orchestration: Sendable {
  /// Passes the baton, unless another call of this turn has.
  /// - Returns: Who holds it now.
  func passBaton(to agent: String) async throws -> String

  /// Asks a friend and waits for its answer.
  func phone(_ agent: String, with prompt: String, for call: Transcript.ToolCall) async throws
    -> FriendAnswer
}

/// What came of phoning a friend.
///
/// A failure is information for the model, not a fault.
package enum FriendAnswer: Sendable, Equatable, Codable {
  case answered(String)
  case failed(String)
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
