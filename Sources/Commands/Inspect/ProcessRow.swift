import ArgumentParser
import Coordination
import Coordinator
import Foundation
import Terminal
import Transcripts
import Wire

struct ProcessRow: Equatable {
  /// The name by which its log can be read.
  let log: String
  var pid: Int32?
  var depth = 1
  var name: String
  /// The session whose turn it works for.
  var session: String?
  var role: String
  var state: State
  var model: String?
  /// What its model does; `nil` for a process that is no worker.
  var figures: Figures?
  /// The proportional set size, in bytes.
  var memory: Int?
  var launched: Date?
  var place = Place()

  struct State: Equatable {
    var words: String
    var style: Style = []
  }

  /// Where it runs, or is to run.
  struct Place: Equatable {
    var name = ""
    /// Whether it is a worker on another machine.
    var isElsewhere = false
  }

  struct Figures: Equatable {
    var tokensIn: Int
    var tokensCached: Int
    var tokensOut: Int
    var tokensPerSecond: Double
    /// How full its window is.
    var context: String
  }
}

enum TopSort: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// Friends stand below the workers that asked them.
  case tree
  case speed, out, memory, age, name

  var key: Character { rawValue.first ?? " " }
}

extension ProcessTree {
  /// The processes as rows, in an order.
  func rows(_ sort: TopSort, isReversed: Bool = false) -> [ProcessRow] {
    let all =
      [ProcessRow(coordinator, cores)]
      + standbys.sorted { $0.launched < $1.launched }
      .map(ProcessRow.init) + servers.map(ProcessRow.init)
      + workers.flatMap { ProcessRow.rows($0, depth: 1) }
      + launches.map(ProcessRow.init) + hosts.filter { $0.state != "off" }.map(ProcessRow.init)
    let sorted = all.sorted(by: sort)
    return isReversed ? sorted.reversed() : sorted
  }
}

extension [ProcessRow] {
  /// Returns the rows in an order; those that have nothing of what it is about come last.
  fileprivate func sorted(by sort: TopSort) -> [ProcessRow] {
    switch sort {
    case .tree: self
    case .speed: largest { $0.figures?.tokensPerSecond }
    case .out: largest { $0.figures.map { Double($0.tokensOut) } }
    case .memory: largest { $0.memory.map(Double.init) }
    case .age: largest { $0.launched.map { -$0.timeIntervalSinceReferenceDate } }
    case .name: sorted { ($0.name, $0.pid ?? 0) < ($1.name, $1.pid ?? 0) }
    }
  }

  private func largest(_ value: (ProcessRow) -> Double?) -> [ProcessRow] {
    map { ($0, value($0) ?? -.infinity) }
      .enumerated().sorted { ($1.element.1, $0.offset) < ($0.element.1, $1.offset) }
      .map(\.element.0)
  }
}

extension ProcessRow {
  var indentedName: String { String(repeating: "  ", count: depth) + name }

  init(_ coordinator: CoordinatorStatus, _ load: CoreLoad?) {
    var state = ""
    if let load {
      state = "\(load.busy) of \(load.cores.counted("core")) busy"
      if load.waiting > 0 { state += ", \(load.waiting) wait" }
    }
    self.init(
      log: Folders.coordinatorLog,
      name: "coordinator",
      role: "",
      state: State(words: state)
    )
    (pid, depth, launched) = (coordinator.pid, 0, coordinator.started)
  }

  init(_ standby: StandbyStatus) {
    let doing = standby.isReady ? "idle" : standby.progress?.words ?? "loading"
    let state = State(
      words: Self.words(doing, standby.corePlace),
      style: standby.isReady ? .dim : []
    )
    self.init(log: standby.run, name: standby.name, role: standby.role, state: state)
    (pid, memory, launched) = (standby.pid, standby.memory, standby.launched)
    (model, place) = (standby.model ?? "-", Place(name: "local"))
  }

  init(_ server: MCPServerStatus) {
    var state = server.calls > 0 ? "\(server.calls.counted("call"))" : server.state.rawValue
    if server.state == .running { state += ", \(server.tools.counted("tool"))" }
    if !server.withheld.isEmpty { state += ", \(server.withheld.count) changed" }
    if let problem = server.problem { state += ", \(problem)" }
    self.init(
      log: MCPServerPool.runPrefix + server.name,
      name: "mcp:\(server.name)",
      role: "server",
      state: State(
        words: state,
        style: server.problem != nil ? .red : server.calls > 0 ? .green : .dim
      )
    )
    (pid, memory, launched) = (server.pid, server.memory, server.launched)
  }

  init(_ launch: LaunchStatus) {
    let state = State(words: HostText.obstacle(to: launch), style: .yellow)
    self.init(log: launch.run, name: launch.run, role: "", state: state)
    place.name = launch.host?.host ?? "local"
  }

  init(_ host: HostReport) {
    var state = State(words: HostText.state(host), style: host.state == "up" ? .dim : .yellow)
    if let cores = host.cores { state.words += ", \(cores.busy) of \(cores.cores.counted("core"))" }
    let log = Folders.outpostLog(host.name)
    self.init(log: log, name: log, role: "host", state: state)
    (launched, place) = (host.since, Place(name: host.name))
  }

  init(_ worker: WorkerStatus, depth: Int) {
    let waits = worker.corePlace != nil || worker.serverWait != nil
    let style: Style =
      switch worker.state {
      case _ where waits: .yellow
      case .responding: .green
      case .asking, .waitingForClient: .yellow
      case .loading: []
      case .idle: .dim
      }
    let state = State(words: Self.words(Self.doing(worker), worker.corePlace), style: style)
    self.init(log: worker.run, name: worker.agent, role: worker.role.rawValue, state: state)
    (self.depth, pid, session) = (depth, worker.pid, worker.session)
    (memory, launched, model) = (worker.memory, worker.launched, worker.model ?? "-")
    place = Place(name: worker.host ?? worker.launcher, isElsewhere: worker.host != nil)
    figures = Figures(
      tokensIn: worker.tokensIn,
      tokensCached: worker.tokensCached,
      tokensOut: worker.tokensOut,
      tokensPerSecond: worker.tokensPerSecond,
      context: Self.context(worker)
    )
  }

  /// A worker, and the friends that answer it.
  static func rows(_ worker: WorkerStatus, depth: Int) -> [ProcessRow] {
    [ProcessRow(worker, depth: depth)] + worker.friends.flatMap { rows($0, depth: depth + 1) }
  }

  private static func words(_ state: String, _ corePlace: Int?) -> String {
    corePlace.map { "waits for a core, place \($0)" } ?? state
  }

  /// Returns what a worker is doing; a call that does not return shows as the name of its tool.
  private static func doing(_ worker: WorkerStatus) -> String {
    if let wait = worker.serverWait { return "waits for a server (\(wait.reason.prefix(24)))" }
    if let progress = worker.progress { return progress.words }
    guard worker.state == .responding, let tool = worker.tools.first else {
      return worker.state.rawValue
    }
    let others = worker.tools.count - 1
    return others > 0 ? "calls \(tool) and \(others) more" : "calls \(tool)"
  }

  private static func context(_ worker: WorkerStatus) -> String {
    guard let tokens = worker.contextTokens else { return "-" }
    return worker.contextSize.map { "\(tokens)/\($0)" } ?? "\(tokens)"
  }
}
