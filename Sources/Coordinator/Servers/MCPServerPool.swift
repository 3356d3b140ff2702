package import Coordination
import Foundation
package import Logging
import MCP
package import Supervision
package import Transcripts
package import Wire

/// The MCP servers of a coordinator: one process each, for all agents and sessions.
package actor MCPServerPool: MCPServers {
  /// What the names of the servers' runs begin with.
  package static let runPrefix = "mcp:"

  /// What a server's tools came to when it listed them last.
  private struct Known {
    var tools: [MCPListedTool] = []
    var withheld: Set<String> = []
  }

  /// A tool that a person approved for a session.
  private struct Consent: Hashable {
    let session: String
    let server: String
    let tool: String
  }

  private let settings: CoordinatorSettings
  private let starter: ServerStarter?
  private let environment: [String: String]
  private let logger: Logger
  private let outputs: OutputStore
  private var file: MCPFile?
  private var approvals: MCPApprovals
  private var connections: [String: MCPConnection] = [:]
  private var known: [String: Known] = [:]
  private var consents: Set<Consent> = []
  /// The changes that have been reported, each once.
  private var reported: [String: [String]] = [:]

  /// - Parameter starter: Starts the servers' programs.
  package init(
    _ settings: CoordinatorSettings,
    starter: ServerStarter?,
    environment: [String: String],
    logger: Logger
  ) {
    self.settings = settings
    self.starter = starter
    self.environment = environment
    self.logger = logger
    outputs = OutputStore(folder: settings.folders.outputs)
    outputs.prune()
    approvals = MCPApprovals(path: settings.folders.serverApprovals)
  }

  // MARK: What agents are offered

  /// Returns the tools that an agent may take, from servers that are started where they do not run.
  package func tools(for agent: AgentDescription) async throws -> [MCPToolDefinition] {
    guard !agent.servers.isEmpty else { return [] }
    let path = MCPFile.path(besides: settings.agents)
    let file = try approvedFile()
    var tools: [MCPToolDefinition] = []
    for server in Set(agent.servers.map(\.server)).sorted() {
      guard let entry = file?.servers.server(server), !entry.options.isDisabled else {
        throw MCPServerError.noSuchServer(server, agent: agent.name, file: path)
      }
      do throws(MCPConnection.Unavailable) {
        try await connection(to: entry).ready()
      } catch {
        // Known tools are offered all the same: calls say what is wrong, and it may be back by then.
        guard known[server] != nil else { throw MCPServerError.unavailable(server, error.problem) }
      }
      tools += definitions(of: entry)
    }
    let names = agent.offering(tools).repeatedToolNames
    guard names.isEmpty else { throw MCPServerError.repeatedNames(names, agent: agent.name) }
    return tools
  }

  private func definitions(of entry: MCPServerEntry) -> [MCPToolDefinition] {
    offered(by: entry).map { MCPToolDefinition($0, of: entry.name) }
  }

  private func offered(by entry: MCPServerEntry) -> [MCPListedTool] {
    guard let known = known[entry.name] else { return [] }
    return known.tools.filter {
      entry.options.offers($0.name) && !known.withheld.contains($0.name)
    }
  }

  // MARK: Approval of servers

  /// Returns the file of servers, of which nothing is started before a person has approved it.
  ///
  /// It is read once: what it says of servers that run must not change under them.
  private func approvedFile() throws(MCPServerError) -> MCPFile? {
    if let file { return file }
    guard let found = try MCPFile.read(besides: settings.agents, environment: environment) else {
      return nil
    }
    if settings.grants.approvesServerFile {
      approvals.approve(found)
      saveApprovals()
    }
    guard approvals.covers(found) else {
      throw .unapprovedFile(found.path, programs: found.programs)
    }
    for note in found.servers.notes { logger.notice("\(found.path): \(note)") }
    file = found
    return found
  }

  private func saveApprovals() {
    do {
      try approvals.write(to: settings.folders.serverApprovals)
    } catch {
      logger.error("What was approved of MCP servers cannot be kept: \(error)")
    }
  }

  /// Takes over what a server lists, without what was changed since a person approved it.
  private func listed(_ tools: [MCPListedTool], by server: String, _ era: MCPEra?) {
    guard let file else { return }
    let before = approvals
    if let era { approvals.note(era, of: server, in: file) }
    if settings.grants.approvedServers.contains(server), known[server] == nil {
      approvals.approve(tools, of: server, in: file)
    }
    let difference = approvals.compare(tools, of: server, in: file)
    if approvals != before { saveApprovals() }
    known[server] = Known(tools: tools, withheld: difference.withheld)
    guard !difference.withheld.isEmpty, reported[server] != difference.lines else { return }
    reported[server] = difference.lines
    let lines = difference.lines.map(\.escaped).joined(separator: "\n")
    logger.notice(
      """
      The MCP server '\(server)' has changed tools since they were approved, and they are not offered. \
      If you trust it, start with --allow 'mcp:\(server)' once.
      \(lines)
      """
    )
  }

  private func connection(to entry: MCPServerEntry) -> MCPConnection {
    if let known = connections[entry.name] { return known }
    let (name, starter, environment) = (entry.name, starter, environment)
    let mode = settings.sandbox
    let log = settings.folders.log(of: Self.runPrefix + name)
    let connection = MCPConnection(
      entry,
      era: file.flatMap { approvals.era(of: name, in: $0) },
      start: {
        let program: MCPProgram
        switch entry.transport {
        case .program(let own): program = own
        case .http(let url, let headers):
          let log = WorkerLog(path: log)
          return MCPHTTPTransport(url: url, headers: headers, log: log)
        }
        guard let starter else { throw MCPServerError.unavailable(name, "it cannot be started.") }
        let launch = try MCPServerLaunch(program, of: entry, environment: environment)
        return try await starter.start(
          launch.program,
          as: RunID(Self.runPrefix + name),
          environment: launch.environment,
          confinement: Confinement(mode: mode, permissions: launch.permissions)
        )
      },
      onList: { [weak self] in await self?.listed($0, by: name, $1) }
    )
    connections[name] = connection
    return connection
  }

  // MARK: Calls

  package func needsApproval(_ request: MCPRequest, session: String) -> Bool {
    guard case .call(let server, let tool, _) = request,
      let entry = file?.servers.server(server),
      !consents.contains(Consent(session: session, server: server, tool: tool))
    else { return false }
    if entry.options.ask.contains(tool) { return true }
    let isReadOnly = offered(by: entry).first { $0.name == tool }?.isReadOnly ?? false
    return !entry.options.isTrusted && !isReadOnly
  }

  package func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool,
    caller: MCPCaller
  ) async -> MCPReply {
    switch request {
    case .read(let output, let offset):
      let text = outputs.read(output, from: offset, session: session, window: window)
      return MCPReply(
        text.map { .returned($0) } ?? .failed("There is no output named '\(output)'.")
      )
    case .call(let server, let tool, let arguments):
      let missing = MCPReply(.failed("The server '\(server)' no longer has a tool '\(tool)'."))
      guard let entry = file?.servers.server(server) else { return missing }
      guard let arguments = try? GeneratedContent(json: arguments) else {
        return MCPReply(.failed("The arguments are not JSON."))
      }
      let connection = connection(to: entry)
      let outcome: MCPConnection.Outcome
      do throws(MCPConnection.Unavailable) {
        let life = try await connection.ready()
        // The server may have started again, with other tools than those that were approved.
        guard offered(by: entry).contains(where: { $0.name == tool }) else { return missing }
        guard isApproved || !needsApproval(request, session: session) else {
          return MCPReply(.failed("The server changed its tools meanwhile. Call again."))
        }
        if isApproved { consents.insert(Consent(session: session, server: server, tool: tool)) }
        outcome = await connection.call(tool, arguments: arguments, in: life, for: caller)
      } catch {
        outcome = .unavailable(error.problem)
      }
      let name = MCPToolName.name(server: server, tool: tool)
      // Outside the actor would be better for long texts, and they are rare.
      func fitted(_ text: String) -> String {
        outputs.fitted(text, of: name, session: session, window: window)
      }
      return MCPReply(outcome.answer(of: server, fitted), request: outcome.request)
    }
  }

  /// Forgets a session that was deleted: the next of its name is another.
  package func forget(session: String) {
    consents = consents.filter { $0.session != session }
    outputs.remove(session: session)
  }

  // MARK: Status

  /// The servers of the file, as far as they may be started.
  package func statuses() async -> [MCPServerStatus] {
    var statuses: [MCPServerStatus] = []
    for entry in file?.servers.servers ?? [] where !entry.options.isDisabled {
      guard let connection = connections[entry.name] else { continue }
      var status = await connection.status()
      status.tools = offered(by: entry).count
      status.withheld = known[entry.name]?.withheld.sorted() ?? []
      statuses.append(status)
    }
    return statuses
  }

  /// The runs of all servers, whose logs are in use.
  package var runs: Set<RunID> { Set(connections.keys.map { RunID(Self.runPrefix + $0) }) }

  package func close() async {
    await withTaskGroup(of: Void.self) { group in
      for connection in connections.values { group.addTask { await connection.close() } }
    }
  }
}

extension MCPFile {
  /// What the file starts or connects to, for a person.
  fileprivate var programs: [String] {
    servers.servers.filter { !$0.options.isDisabled }.map { entry in
      let what =
        switch entry.transport {
        case .program(let program): ([program.command] + program.arguments).joined(separator: " ")
        case .http(let url, _): url
        }
      return "\(entry.name): \(what.escaped)"
    }
  }
}

extension String {
  /// The text without what a terminal would obey or not show.
  fileprivate var escaped: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension MCPToolDefinition {
  /// The tool of a server, as agents are offered it.
  init(_ tool: MCPListedTool, of server: String) {
    self.init(
      name: MCPToolName.name(server: server, tool: tool.name),
      server: server,
      tool: tool.name,
      description: tool.description,
      parameters: tool.parameters.jsonString,
      isIdempotent: tool.isReadOnly || tool.isIdempotent
    )
  }
}
