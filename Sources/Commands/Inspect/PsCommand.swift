import ArgumentParser
import Coordination
import Coordinator
import Foundation
import Terminal
import Transcripts
import Wire

struct PsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ps",
    abstract: "Shows the processes of the running coordinator."
  )

  @Flag(help: "Also list the processes that have died since the coordinator started.")
  var all = false

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let tree = try await Home.service().processes()
    if json { return Terminal.show(json: try JSONOutput.document(tree)) }
    Terminal.show(table(tree))
  }

  private func table(_ tree: ProcessTree) -> String {
    // What a process does is shown in full, with the numbers in it.
    var table = TextTable(
      [
        "PID", "AGENT", "SESSION", "ROLE", "STATE", "MODEL", "IN", "CACHED", "OUT", "TOK/S",
        "CONTEXT", "PSS",
        "AGE", "HOST",
      ]
    )
    let load = tree.cores.map { "\($0.busy) of \($0.cores.counted("core"))" } ?? ""
    table.add([
      "\(tree.coordinator.pid)", "coordinator", "", "", load, "", "", "", "", "", "", "",
      Self.age(tree.coordinator.started), "",
    ])
    for standby in tree.standbys.sorted(by: { $0.launched < $1.launched }) {
      table.add([
        "\(standby.pid)", "  " + standby.name, "", standby.role,
        Self.state(
          standby.isReady ? "idle" : standby.progress?.words ?? "loading",
          standby.corePlace
        ),
        standby.model ?? "-", "", "", "", "", "", standby.memory.map(MemoryText.size) ?? "-",
        Self.age(standby.launched), "local",
      ])
    }
    for server in tree.servers { add(server, to: &table) }
    // One that is off has nothing to show here; 'hosts' lists all.
    for host in tree.hosts where host.state != "off" { add(host, to: &table) }
    for worker in tree.workers { add(worker, depth: 1, to: &table) }
    for launch in tree.launches { add(launch, to: &table) }
    var parts = [table.text]
    if let deaths = DeathTable.text(of: tree.deaths, isList: all) { parts.append(deaths) }
    if !tree.approvals.isEmpty { parts.append(ApprovalTable.text(of: tree.approvals)) }
    if !tree.clientCalls.isEmpty { parts.append(ClientCallTable.text(of: tree.clientCalls)) }
    return parts.joined(separator: "\n\n")
  }

  private func add(_ server: MCPServerStatus, to table: inout TextTable) {
    var state = server.calls > 0 ? "\(server.calls.counted("call"))" : server.state.rawValue
    if server.state == .running { state += ", \(server.tools.counted("tool"))" }
    if !server.withheld.isEmpty { state += ", \(server.withheld.count) changed" }
    table.add([
      server.pid.map { "\($0)" } ?? "-", "  mcp:\(server.name)", "", "server", state, "", "", "",
      "",
      "", "", server.memory.map(MemoryText.size) ?? "-", server.launched.map(Self.age) ?? "", "",
    ])
  }

  private func add(_ launch: LaunchStatus, to table: inout TextTable) {
    table.add([
      "-", "  " + launch.run, "", "", HostText.obstacle(to: launch), "", "", "", "", "", "", "-",
      "",
      launch.host?.host ?? "local",
    ])
  }

  private func add(_ host: HostReport, to table: inout TextTable) {
    let load = host.cores.map { ["\($0.busy) of \($0.cores.counted("core"))"] } ?? []
    table.add([
      "-", "  " + Folders.outpostLog(host.name), "", "host",
      ([HostText.state(host)] + load).joined(separator: ", "), "", "", "", "", "", "", "-",
      Self.age(host.since), host.name,
    ])
  }

  private func add(_ worker: WorkerStatus, depth: Int, to table: inout TextTable) {
    table.add([
      "\(worker.pid)", String(repeating: "  ", count: depth) + worker.agent, worker.session,
      worker.role.rawValue, Self.state(Self.doing(worker), worker.corePlace),
      worker.model ?? "-", "\(worker.tokensIn)",
      "\(worker.tokensCached)", "\(worker.tokensOut)",
      String(format: "%.0f", worker.tokensPerSecond), Self.context(worker),
      worker.memory.map(MemoryText.size) ?? "-",
      Self.age(worker.launched), worker.host ?? worker.launcher,
    ])
    for friend in worker.friends { add(friend, depth: depth + 1, to: &table) }
  }

  static func state(_ state: String, _ corePlace: Int?) -> String {
    corePlace.map { "waits for a core, place \($0)" } ?? state
  }

  /// Returns what a worker is doing; a call that does not return shows as the name of its tool.
  static func doing(_ worker: WorkerStatus) -> String {
    if let wait = worker.serverWait { return "waits for a server (\(wait.reason.prefix(24)))" }
    if let progress = worker.progress { return progress.words }
    guard worker.state == .responding, let tool = worker.tools.first else {
      return worker.state.rawValue
    }
    let others = worker.tools.count - 1
    return others > 0 ? "calls \(tool) and \(others) more" : "calls \(tool)"
  }

  static func context(_ worker: WorkerStatus) -> String {
    guard let tokens = worker.contextTokens else { return "-" }
    return worker.contextSize.map { "\(tokens)/\($0)" } ?? "\(tokens)"
  }

  static func age(_ since: Date) -> String {
    let seconds = Int(max(0, -since.timeIntervalSinceNow))
    return switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)m\(seconds % 60)s"
    default: "\(seconds / 3600)h\(seconds % 3600 / 60)m"
    }
  }
}
