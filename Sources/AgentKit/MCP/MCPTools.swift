import Synchronization

/// The tools of an MCP server, offered to the model by names of the form `server_tool`.
///
/// The file `mcp.json` beside the folder of agents says how the server is started, in the form that
/// other hosts of MCP servers use, too. The server is a process of orchestrator's, and the agent
/// needs neither the network nor programs to call it.
///
/// ```swift
/// struct Historian: Agent {
///   let name = "historian"
///   let description = "answers questions about the history of a repository"
///
///   var body: some DynamicProfile {
///     Profile {
///       Instructions("Look things up with the git tools before you answer.")
///       MCPTools("git", include: ["git_log", "git_show"])
///     }
///   }
/// }
/// ```
///
/// What a tool returns that is too long for the model's window is kept, and the model can read on
/// with the tool `read_output`. A tool that may change something asks a person once a session, unless
/// `mcp.json` says that the server is trusted.
///
/// The agent's initial profile decides which servers are started for it: a profile that becomes
/// active later is offered nothing of a server that the initial one does not name.
public struct MCPTools: DynamicInstructions, InstructionsLeaf, Sendable {
  private let server: String
  private let include: [String]?
  private let exclude: [String]

  /// Takes tools of a server.
  ///
  /// - Parameters:
  ///   - server: The name of the server in `mcp.json`.
  ///   - include: The tools to take, by the server's own names, or `nil` to take all of them.
  ///   - exclude: The tools not to take.
  public init(_ server: String, include: [String]? = nil, exclude: [String] = []) {
    self.server = server
    self.include = include
    self.exclude = exclude
  }

  func resolve(into resolved: inout ResolvedInstructions) {
    let selection = MCPSelection(
      server: server,
      include: include,
      exclude: exclude,
      place: resolved.tools.count
    )
    resolved.servers.append(selection)
    let definitions = selection.tools(
      from: MCPToolSupply.definitions,
      after: resolved.tools.map(\.name)
    )
    resolved.tools += MCPToolSupply.tools(for: definitions)
  }
}

/// The tools of MCP servers that this process has been told of.
package enum MCPToolSupply {
  private struct Known {
    var definitions: [MCPToolDefinition] = []
    /// Made once, because a profile is resolved before each request.
    var tools: [MCPToolDefinition: MCPTool] = [:]
  }

  // There is one list per process, set before any session exists.
  private static let known = Mutex(Known())

  /// Sets the tools that agents in this process can take.
  package static func use(_ definitions: [MCPToolDefinition]) {
    let tools = (definitions + [.readOutput]).map { ($0, MCPTool($0)) }
    known.withLock {
      $0 = Known(definitions: definitions, tools: Dictionary(tools, uniquingKeysWith: { $1 }))
    }
  }

  static var definitions: [MCPToolDefinition] { known.withLock { $0.definitions } }

  static func tools(for definitions: [MCPToolDefinition]) -> [MCPTool] {
    known.withLock { known in definitions.compactMap { known.tools[$0] } }
  }
}
