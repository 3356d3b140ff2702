import ArgumentParser
import Coordinator
import Foundation
import Plugins
import Terminal
import Transcripts
import Wire

struct AgentsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agents",
    abstract: "Lists, checks and creates agents.",
    subcommands: [List.self, Check.self, New.self],
    defaultSubcommand: List.self
  )

  /// Makes the store of a folder's compiled agents.
  /// - Parameter recallsFailures: Whether failures of other processes are not retried.
  private static func store(
    _ folder: String?,
    recallsFailures: Bool
  ) async throws -> (store: PluginStore, kit: AgentToolchain) {
    let environment = ProcessInfo.processInfo.environment
    let folders = try Folders(environment: environment)
    try folders.make()
    let holes = SandboxCheck.holes(in: Confinement())
    try SandboxCheck.report(holes, .default) { Terminal().note($0) }
    let kit = try await AgentToolchain(beside: Executable.path, environment: environment)
    let agents = AgentFolder.path(named: folder)
    let store = PluginStore(
      folder: agents,
      toolchain: kit,
      cache: folders.plugins,
      recallsFailures: recallsFailures
    )
    return (store, kit)
  }

  struct List: Command {
    static let configuration = CommandConfiguration(abstract: "Lists the agents.")

    @Option(
      help: "The agents folder. (default: Agents, or the bundled agents if there is none)",
      transform: PathArgument.read
    )
    var agents: String?

    @Flag(help: "Write JSON.")
    var json = false

    func perform() async throws {
      let store = try await store(agents, recallsFailures: true).store
      let all = try await Self.refresh(store, of: agents)
      let faults = Validation.findings(in: all).filter { $0.severity == .error }
      for fault in faults { Terminal().note(fault.description) }
      // Of several agents with one name, the first is used.
      var names: Set<String> = []
      let plugins = all.filter { names.insert($0.description.name).inserted }
      if json {
        Terminal.show(json: try JSONOutput.document(plugins.map(\.description)))
        return
      }
      var table = TextTable(
        ["AGENT", "DESCRIPTION", "TOOLS", "BATON TO", "PHONES"]
      )
      for plugin in plugins {
        let agent = plugin.description
        table.add([
          agent.name, agent.description,
          agent.tools.map(\.name).joined(separator: ", "),
          agent.batons.joined(separator: ", "), agent.friends.joined(separator: ", "),
        ])
      }
      Terminal.show(table.text)
    }

    /// Compiles what has changed, and shows on a terminal how far that has come.
    fileprivate static func refresh(
      _ store: PluginStore,
      of folder: String?
    ) async throws -> [PluginStore.Plugin] {
      let folder = AgentFolder.path(named: folder)
      // Unstructured: ends with the compilation.
      let progress = Task {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
          Terminal.status(store.compilation?.sentence)
        }
      }
      defer {
        progress.cancel()
        Terminal.status(nil)
      }
      return try await store.refresh { Terminal().note($0.note(of: folder)) }
    }
  }

  struct Check: Command {
    static let configuration = CommandConfiguration(
      abstract: "Compiles all agents and reports their problems, and what their tools cost."
    )

    @Option(
      help: "The agents folder. (default: Agents, or the bundled agents if there is none)",
      transform: PathArgument.read
    )
    var agents: String?

    @Option(
      name: .shortAndLong,
      help: """
        The GGUF file to check prompts with. (default: ORCHESTRATOR_MODEL, or the bundled model)
        """,
      transform: PathArgument.read
    )
    var model: String?

    @Flag(help: "Write JSON.")
    var json = false

    func perform() async throws {
      let (store, kit) = try await store(agents, recallsFailures: false)
      let plugins = try await List.refresh(store, of: agents)
      let failures = await store.currentFailures
      var findings = Validation.findings(in: plugins)
      // A problem with the model is not a problem with each agent, and must not hide theirs.
      var trouble: (any Error)?
      var tools: [String: [String: Int]] = [:]
      do {
        let model = try ModelFile.path(named: model, ProcessInfo.processInfo.environment)
        _ = try await kit.facts(model: model)
        findings += try await PrefixCheck(toolchain: kit, model: model).findings(in: plugins)
        let servers = try servers(of: plugins.map(\.description))
        let check = ToolCheck(toolchain: kit, model: model, offered: servers?.tools ?? [])
        tools = try await check.tokens(of: plugins)
      } catch {
        trouble = error
      }
      let isFaulty = !failures.isEmpty || findings.contains { $0.severity == .error }
      if json {
        Terminal.show(
          json: try JSONOutput.document(
            Verdict(
              agents: plugins.map(\.description.name),
              unusable: failures,
              findings: findings.map(\.description),
              tools: tools,
              unchecked: trouble.map { "\($0)" }
            )
          )
        )
      } else {
        for finding in findings { Terminal.show(finding) }
        if tools.values.contains(where: { !$0.isEmpty }) {
          Terminal.show(Self.table(of: tools))
        }
        Terminal.show(
          "\(plugins.count.counted("agent")), \(findings.count.counted("finding")),"
            + " \(failures.count) unusable"
        )
      }
      if let trouble { throw trouble }
      if isFaulty { throw ExitCode.failure }
    }

    /// Returns what is known of the MCP servers of agents, which are not started for it.
    private func servers(of agents: [AgentDescription]) throws -> MCPServerCheck? {
      let environment = ProcessInfo.processInfo.environment
      let check = try MCPServerCheck(
        besides: AgentFolder.path(named: self.agents),
        folders: Folders(environment: environment),
        environment: environment
      )
      let wanted = Set(agents.flatMap(\.servers).map(\.server))
      for name in check?.unknown.filter(wanted.contains) ?? [] {
        Terminal().note(
          "The tools of the MCP server '\(name)' are known once a coordinator has started it."
        )
      }
      return check
    }

    /// A table of what the tools add to each request, the costliest of an agent first.
    private static func table(of tools: [String: [String: Int]]) -> String {
      var table = TextTable(["AGENT", "TOOL", "TOKENS"])
      for (agent, costs) in tools.sorted(by: { $0.key < $1.key }) {
        for (tool, tokens) in costs.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
          table.add([agent, tool, "\(tokens)"])
        }
      }
      return table.text
    }

    private struct Verdict: Encodable {
      let agents: [String]
      let unusable: [String: String]
      let findings: [String]
      /// The tokens that each tool adds to each request of its agent, by agent and name.
      let tools: [String: [String: Int]]
      /// Why the prompts were not checked; absent if they were.
      let unchecked: String?
    }
  }

  struct New: Command {
    static let configuration = CommandConfiguration(
      abstract: "Creates a first version of an agent."
    )

    @Argument(help: "The name of the agent's type, for example Greeter.")
    var name: String

    @Option(help: "The agents folder.", transform: PathArgument.read)
    var agents = "Agents"

    func perform() async throws {
      let path = try AgentTemplate.write(name, in: agents)
      Terminal.show(path)
      Terminal().note("Edit it, then run 'orchestrator agents check'.")
    }
  }
}
