import Foundation
package import Transcripts

/// Finds out what agents' tools cost: each is part of the beginning of every request.
package struct ToolCheck: Sendable {
  private static let patience = Duration.seconds(60)

  private let toolchain: AgentToolchain
  private let model: String
  private let offered: [MCPToolDefinition]

  /// - Parameters:
  ///   - model: The GGUF file whose tokens and chat template are used.
  ///   - offered: The tools of MCP servers, as far as they are known.
  package init(toolchain: AgentToolchain, model: String, offered: [MCPToolDefinition]) {
    (self.toolchain, self.model, self.offered) = (toolchain, model, offered)
  }

  /// Returns the tokens of each tool, by agent and by the tool's name.
  ///
  /// An agent of which that cannot be said is left out: why, other checks report.
  package func tokens(of plugins: [PluginStore.Plugin]) async throws -> [String: [String: Int]] {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "orchestrator-tools-\(UUID().uuidString)")
    try JSONEncoder().encode(offered).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var all: [String: [String: Int]] = [:]
    for plugin in plugins {
      let agent = plugin.description
      guard !agent.tools.isEmpty || !agent.servers.isEmpty else { continue }
      let program = Subprogram(
        toolchain.worker,
        ["--tools", plugin.library, model, file.path, toolchain.sandbox]
      )
      all[agent.name] = try await program.run(within: Self.patience).answer([String: Int].self)
    }
    return all
  }
}
