import Foundation
package import MCP

/// The `mcp.json` beside the folder of agents, which says which MCP servers there are.
package struct MCPFile: Sendable, Equatable {
  package let path: String
  /// The text of the file, which a person approves.
  package let content: String
  package let servers: MCPServerFile

  /// The place of the file for a folder of agents.
  package static func path(besides agents: String) -> String {
    SettingsFile.path("mcp.json", besides: agents)
  }

  /// Reads the file.
  ///
  /// - Returns: `nil` if there is none.
  package static func read(
    besides agents: String,
    environment: [String: String]
  ) throws(MCPServerError) -> MCPFile? {
    let path = path(besides: agents)
    let text: String?
    do throws(FileAccessError) {
      text = try SettingsFile.content(of: path)
    } catch {
      throw .unreadableFile(path, "\(error)")
    }
    guard let content = text else { return nil }
    do throws(MCPFileFault) {
      let servers = try MCPServerFile(
        json: content,
        folder: URL(filePath: path).deletingLastPathComponent().path,
        environment: environment
      )
      return MCPFile(path: path, content: content, servers: servers)
    } catch {
      let place = error.server.map { "the server '\($0)': " } ?? ""
      throw .unreadableFile(path, place + error.problem)
    }
  }
}

/// Why the tools of an MCP server cannot be had.
package enum MCPServerError: CodedError, Equatable {
  case unreadableFile(String, String)
  case unapprovedFile(String, programs: [String])
  case noSuchServer(String, agent: String, file: String)
  case unavailable(String, String)
  case repeatedNames([String], agent: String)

  package var code: ErrorCode {
    switch self {
    case .unreadableFile, .noSuchServer, .repeatedNames: .badConfiguration
    case .unapprovedFile, .unavailable: .unavailable
    }
  }

  package var description: String {
    switch self {
    case .unreadableFile(let path, let problem): "\(path) cannot be used: \(problem)"
    case .unapprovedFile(let path, let programs):
      "\(path) has not been approved, or was changed since. It starts: "
        + programs.joined(separator: "; ")
        + ". If you trust it, start with --allow mcp.json once."
    case .noSuchServer(let server, let agent, let file):
      "The agent '\(agent)' takes tools of the MCP server '\(server)', but \(file) has no such"
        + " server that is enabled."
    case .unavailable(let server, let problem):
      "The MCP server '\(server)' is not available: \(problem)"
    case .repeatedNames(let names, let agent):
      "The agent '\(agent)' has several tools named \(names.joined(separator: ", ")). Take fewer"
        + " with 'include' or 'exclude', or rename the server or the agent's own tool."
    }
  }
}
