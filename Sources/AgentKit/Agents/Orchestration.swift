/// What an agent can ask of the process that runs it: to pass the baton, to phone a friend and to ask
/// an MCP server.
package protocol Orchestration: Sendable {
  /// Passes the baton, unless an earlier call in this turn has done so or the agent cannot take it.
  func passBaton(to agent: String) async throws -> BatonAnswer

  /// Asks a friend and waits for its answer.
  func phone(_ agent: String, with prompt: String, for call: Transcript.ToolCall) async throws
    -> FriendAnswer

  /// Asks an MCP server, on behalf of a call.
  func ask(_ request: MCPRequest, for call: Transcript.ToolCall) async throws -> MCPAnswer

  /// The time until the cap on seconds ends the turn; zero if it is not known.
  var timeLeft: Duration { get }

  /// Shows that a request waits for a server that refuses it for a while.
  func note(_ wait: ServerWait)

  /// The span in which servers are asked, as the `traceparent` header of the W3C's Trace Context has
  /// it; `nil` if there is none.
  var traceparent: String? { get }
}

extension Orchestration {
  /// None: nothing is traced.
  package var traceparent: String? { nil }
}

package enum OrchestrationContext {
  /// The process that runs the session, or `nil` in a standalone session.
  @TaskLocal package static var current: (any Orchestration)?
}

/// An error thrown when a tool needs something that only `orchestrator` provides.
struct NotOrchestrated: Error, CustomDebugStringConvertible {
  let tool: String

  var debugDescription: String {
    "'\(tool)' needs other agents; run this agent with orchestrator."
  }
}
