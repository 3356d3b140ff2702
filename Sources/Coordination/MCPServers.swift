package import Transcripts

/// What Coordination needs of MCP servers; the coordinator provides it.
package protocol MCPServers: Sendable {
  /// Returns whether a person must approve a request first; approval holds for the whole session.
  func needsApproval(_ request: MCPRequest, session: String) async -> Bool

  /// Asks a server, and returns its answer in the length that fits into a window.
  ///
  /// It ends in bounded time, or soon after its task is cancelled.
  ///
  /// - Parameters:
  ///   - window: The size of the window of the model that called, in tokens; `nil` if unknown.
  ///   - isApproved: Whether a person has approved the request just now.
  func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool
  ) async -> MCPAnswer
}

/// No servers.
package struct NoMCPServers: MCPServers {
  package init() {}

  package func needsApproval(_ request: MCPRequest, session: String) async -> Bool { false }

  package func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool
  ) async -> MCPAnswer {
    .failed("There are no MCP servers here.")
  }
}
