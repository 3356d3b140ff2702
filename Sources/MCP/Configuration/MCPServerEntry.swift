/// A server as `mcp.json` describes it.
package struct MCPServerEntry: Sendable, Equatable {
  package enum Transport: Sendable, Equatable {
    case program(MCPProgram)
    case http(url: String, headers: [String: String])
  }

  package let name: String
  package let transport: Transport
  package let options: MCPServerOptions
}

package struct MCPProgram: Sendable, Equatable {
  package var command: String
  package var arguments: [String]
  /// What is added to the environment.
  package var environment: [String: String]
  package var folder: String
}

/// The keys of our own, below `orchestrator`, which other hosts that read the file ignore.
package struct MCPServerOptions: Sendable, Equatable {
  /// The tools that agents may be offered; `nil` for all.
  package var include: [String]?
  package var exclude: [String] = []
  /// The tools for which a person is asked, whatever the server says of them.
  package var ask: [String] = []
  /// Whether its tools may be called without a person's approval.
  package var isTrusted = false
  package var allowsNetwork = false
  /// What the program may read and run, and what it may also change, besides the system's programs,
  /// its own folder and its working folder.
  package var read: [String] = []
  package var write: [String] = []
  package var callTimeout = 60
  package var startTimeout = 10
  package var isDisabled = false
  package var isSerial = false

  package init() {}

  /// Whether agents may be offered a tool.
  package func offers(_ tool: String) -> Bool {
    include?.contains(tool) ?? true && !exclude.contains(tool)
  }
}

/// Why `mcp.json` cannot be used.
package struct MCPFileFault: Error, Sendable, Equatable {
  /// The server in whose entry the problem is; `nil` for the file as a whole.
  package let server: String?
  package let problem: String
}
