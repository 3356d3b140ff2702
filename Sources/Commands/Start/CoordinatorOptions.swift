import ArgumentParser
import Coordination
import Coordinator
import Foundation
import Logging
import Supervision
import Telemetry
import Terminal
import Wire

extension Confinement.Mode: ExpressibleByArgument {}
extension CoordinatorLog.Format: ExpressibleByArgument {}

enum LauncherName: String, ExpressibleByArgument, CaseIterable, Sendable {
  case local, bubblewrap
}

/// The options of the commands that run a coordinator.
struct CoordinatorOptions: ParsableArguments {
  @Option(
    help: "The agents folder. (default: Agents, or the bundled agents if there is none)",
    completion: .directory,
    transform: PathArgument.read
  )
  var agents: String?

  @Option(
    name: .shortAndLong,
    help: """
      The GGUF file that agents run on. (default: ORCHESTRATOR_MODEL, or the bundled model)
      """,
    completion: .file(extensions: ["gguf"]),
    transform: PathArgument.read
  )
  var model: String?

  @Option(
    help: """
      The GGUF file that lets the model see images. (default: one next to the model, with 'mmproj' \
      in its name)
      """,
    completion: .file(extensions: ["gguf"]),
    transform: PathArgument.read
  )
  var projector: String?

  @Option(
    // So that an impossible number, even a negative one, is reported as such.
    parsing: .unconditional,
    help: """
      The context window in tokens, rounded to a multiple of 256. (default: the model's own, up to \
      \(WorkerConfiguration.defaultContextSize))
      """
  )
  var context: Int?

  @Option(help: "The agent that starts a new session.", completion: Names.agents)
  var agent: String?

  @Option(
    help: ArgumentHelp(
      "The caps on each turn, for example rounds=4,tokens=2000,policy=fail.",
      discussion: "Available caps: \(Caps.names.joined(separator: ", "))."
    )
  )
  var caps: String?

  @Option(
    help: ArgumentHelp(
      "How workers are confined: off, default or required. (default: default)",
      discussion: "'required' refuses to run if the kernel cannot confine them."
    )
  )
  var sandbox: Confinement.Mode?

  @Option(
    help: ArgumentHelp(
      "What launches workers: local or bubblewrap.",
      discussion: "'bubblewrap' isolates each in its own system, and forks none from a template."
    )
  )
  var launcher = LauncherName.local

  @Option(
    help: ArgumentHelp(
      "What an agent may access besides its model and its scratch folder; may be repeated.",
      discussion: "AGENT for everything it declares, or AGENT=PERMISSION: network, read:PATH,"
        + " write:PATH or run:PATH. 'mcp.json' approves the file of MCP servers as it is now, and"
        + " 'mcp:SERVER' the tools of one that have changed. 'hosts.json' approves the file of"
        + " hosts as it is now.",
      valueName: "agent"
    )
  )
  var allow: [String] = []

  @OptionGroup var hosts: HostOptions
  @OptionGroup var telemetry: TelemetryOptions

  @Option(
    help: ArgumentHelp(
      "What is logged: trace, debug, info, notice, warning, error or critical.",
      discussion: "(default: info in 'orchestrator logs coordinator', notice on standard error)"
    ),
    completion: .list(Logger.Level.allCases.map(\.rawValue)),
    transform: { text in
      guard let level = Logger.Level(rawValue: text) else {
        throw ValidationError("There is no log level named '\(text)'.")
      }
      return level
    }
  )
  var logLevel: Logger.Level?

  @Option(help: "How it is logged: text or json.")
  var logFormat = CoordinatorLog.Format.text

  func logger(_ folders: Folders) -> Logger {
    let terminal = Terminal()
    return CoordinatorLog.logger(
      level: logLevel,
      format: logFormat,
      path: folders.log(of: Folders.coordinatorLog)
    ) { terminal.note($0) }
  }

  func settings() throws -> CoordinatorSettings {
    let environment = ProcessInfo.processInfo.environment
    return CoordinatorSettings(
      folders: try Folders(environment: environment),
      agents: AgentFolder.path(named: agents),
      model: try ModelFile.path(named: model, environment),
      projector: try ModelFile.projector(named: projector),
      contextSize: try givenContext(),
      beginner: agent,
      caps: try givenCaps()?.over(Caps()) ?? Caps(),
      sandbox: sandbox ?? .default,
      launcher: try workerLauncher(environment),
      grants: try grants(environment),
      hosts: try hosts.settings(),
      telemetry: try telemetry.notedDecision(environment).settings
    )
  }

  /// Refuses options that a running coordinator cannot follow because it was started with others.
  func check(against status: CoordinatorStatus) throws(CommandError) {
    let given: [(name: String, isFollowed: Bool?)] = [
      ("--agents", agents.map { URL(filePath: $0).path == status.agents }),
      ("--model", model.map { URL(filePath: $0).path == status.model }),
      ("--projector", projector.map { _ in false }),
      ("--context", context.map { _ in false }),
      ("--launcher", launcher == .local ? nil : false),
      ("--sandbox", sandbox.map { $0.rawValue == status.sandbox }),
      ("--allow", allow.isEmpty ? nil : false),
      ("--host", hosts.host.isEmpty ? nil : false),
      ("--wait-limit", hosts.waitLimit.map { _ in false }),
      ("--telemetry", telemetry.telemetry.map { _ in false }),
      ("--telemetry-content", telemetry.telemetryContent ? false : nil),
      ("--log-level", logLevel.map { _ in false }),
      ("--log-format", logFormat == .text ? nil : false),
    ]
    let ignored = given.filter { $0.isFollowed == false }.map(\.name)
    guard ignored.isEmpty else {
      throw .otherCoordinator(
        pid: status.pid,
        options: ignored,
        agents: status.agents,
        model: status.model
      )
    }
  }

  /// Returns the requested caps; `nil` when there are none.
  func givenCaps() throws(CommandError) -> GivenCaps? {
    guard let text = caps else { return nil }
    do throws(Caps.Fault) {
      return try GivenCaps(text)
    } catch {
      throw .badOption(error.description)
    }
  }

  func grants(_ environment: [String: String]) throws(PermissionGrants.Fault) -> PermissionGrants {
    try PermissionGrants(allow, home: environment["HOME"] ?? "/")
  }

  private func workerLauncher(
    _ environment: [String: String]
  ) throws(CommandError) -> any Launcher {
    guard launcher == .bubblewrap else { return LocalLauncher() }
    guard sandbox != .off else { throw .bubblewrapWithoutSandbox }
    guard let found = Bubblewrap(in: environment["PATH"] ?? "") else { throw .noBubblewrap }
    if let problem = found.problem() { throw .unusableBubblewrap(found.program, problem) }
    return found
  }

  /// Returns the requested context window; `nil` when there is none.
  func givenContext() throws(CommandError) -> Int? {
    guard let context else { return nil }
    // Llama.cpp makes no smaller window, and no machine that this runs on has the memory for more
    // than a million tokens.
    guard (256...1_048_576).contains(context) else { throw .badContext(context) }
    return context
  }
}
