import Foundation
package import MCP

/// The `mcp.json` beside the folder of agents, which says which MCP servers there are.
package struct MCPFile: Sendable, Equatable {
  /// The most bytes of the file.
  private static let maximumBytes = 1 << 20

  package let path: String
  /// The text of the file, which a person approves.
  package let content: String
  package let servers: MCPServerFile

  /// The place of the file for a folder of agents.
  package static func path(besides agents: String) -> String {
    URL(filePath: agents).deletingLastPathComponent().appending(path: "mcp.json").path
  }

  /// Reads the file.
  ///
  /// - Returns: `nil` if there is none.
  package static func read(
    besides agents: String,
    environment: [String: String]
  ) throws(MCPServerError) -> MCPFile? {
    let path = path(besides: agents)
    guard access(path, F_OK) == 0 else { return nil }
    let data: Data
    do throws(FileAccessError) {
      data = try FileContent.content(of: path, atMost: maximumBytes)
    } catch {
      throw .unreadableFile(path, "\(error)")
    }
    let content = String(decoding: data, as: UTF8.self)
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
