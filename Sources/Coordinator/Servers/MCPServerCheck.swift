import MCP
package import Transcripts

/// What can be said about the MCP servers beside a folder of agents without starting any.
package struct MCPServerCheck: Sendable, Equatable {
  package let file: String
  /// Whether a person has approved the file as it is.
  package let isApproved: Bool
  /// The servers that may be started.
  package let servers: [String]
  /// Why some of them cannot be.
  package let problems: [String]
  /// The tools that agents would be offered, as far as they are known.
  package let tools: [MCPToolDefinition]
  /// The servers that have never been started, so that their tools are not known.
  package let unknown: [String]

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
    let approvals = MCPApprovals(path: folders.serverApprovals)
    isApproved = approvals.covers(found)
    let entries = found.servers.servers.filter { !$0.options.isDisabled }
    servers = entries.map(\.name)
    unknown = servers.filter { approvals.tools(of: $0, in: found) == nil }
    tools = entries.flatMap { entry in
      (approvals.tools(of: entry.name, in: found) ?? [])
        .filter { entry.options.offers($0.name) }
        .map { MCPToolDefinition($0, of: entry.name) }
    }
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
