import MCP

/// What can be said about the MCP servers beside a folder of agents without starting any.
package struct MCPServerCheck: Sendable, Equatable {
  package let file: String
  /// Whether a person has approved the file as it is.
  package let isApproved: Bool
  /// The servers that may be started.
  package let servers: [String]
  /// Why some of them cannot be.
  package let problems: [String]

  /// - Returns: `nil` if there is no file of servers.
  package init?(
    besides agents: String,
    folders: Folders,
    environment: [String: String]
  ) throws(MCPServerError) {
    guard let found = try MCPFile.read(besides: agents, environment: environment) else {
      return nil
    }
    file = found.path
    isApproved = MCPApprovals(path: folders.serverApprovals).covers(found)
    let entries = found.servers.servers.filter { !$0.options.isDisabled }
    servers = entries.map(\.name)
    problems = entries.compactMap { entry in
      guard case .program(let program) = entry.transport else { return nil }
      do throws(MCPServerError) {
        _ = try MCPServerLaunch(program, of: entry, environment: environment)
        return nil
      } catch {
        return "\(error)"
      }
    }
  }
}
