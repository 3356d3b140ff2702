import ArgumentParser
import Coordination
import Coordinator
import Foundation
import Terminal
import Transcripts
import Wire

/// A process in the live list.
struct TopRow: Equatable {
  /// The name by which its log can be read.
  let log: String
  var pid: Int32?
  var depth = 1
  var name: String
  /// The session whose turn it works for.
  var session: String?
  var role: String
  var state: String
  var style: Style = []
  /// What its model does; `nil` for a process that is no worker.
  var figures: Figures?
  /// The proportional set size, in bytes.
  var memory: Int?
  var launched: Date?

  struct Figures: Equatable {
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
  func rows(_ sort: TopSort, isReversed: Bool = false) -> [TopRow] {
    let all =
      [TopRow(coordinator, cores)]
      + standbys.sorted { $0.launched < $1.launched }
      .map(TopRow.init) + servers.map(TopRow.init) + workers.flatMap { TopRow.rows($0, depth: 1) }
      + launches.map(TopRow.init) + hosts.filter { $0.state != "off" }.map(TopRow.init)
    let sorted = all.sorted(by: sort)
    return isReversed ? sorted.reversed() : sorted
  }
}

extension [TopRow] {
  /// Returns the rows in an order; those that have nothing of what it is about come last.
  fileprivate func sorted(by sort: TopSort) -> [TopRow] {
    switch sort {
    case .tree: self
    case .speed: largest { $0.figures?.tokensPerSecond }
    case .out: largest { $0.figures.map { Double($0.tokensOut) } }
    case .memory: largest { $0.memory.map(Double.init) }
    case .age: largest { $0.launched.map { -$0.timeIntervalSinceReferenceDate } }
    case .name: sorted { ($0.name, $0.pid ?? 0) < ($1.name, $1.pid ?? 0) }
    }
  }

  private func largest(_ value: (TopRow) -> Double?) -> [TopRow] {
    map { ($0, value($0) ?? -.infinity) }
      .enumerated().sorted { ($1.element.1, $0.offset) < ($0.element.1, $1.offset) }
      .map(\.element.0)
  }
}

extension TopRow {
  init(_ coordinator: CoordinatorStatus, _ load: CoreLoad?) {
    self.init(log: Folders.coordinatorLog, name: "coordinator", role: "", state: "")
    (pid, depth, launched) = (coordinator.pid, 0, coordinator.started)
    if let load {
      state = "\(load.busy) of \(load.cores) cores busy"
      if load.waiting > 0 { state += ", \(load.waiting) wait" }
    }
  }

  init(_ standby: StandbyStatus) {
    let state = PsCommand.state(
      standby.isReady ? "idle" : standby.progress?.words ?? "loading",
      standby.corePlace
    )
    self.init(log: standby.run, name: standby.name, role: standby.role, state: state)
    (pid, memory, launched) = (standby.pid, standby.memory, standby.launched)
    style = standby.isReady ? .dim : []
  }

  init(_ server: MCPServerStatus) {
    let state = server.calls > 0 ? "\(server.calls.counted("call"))" : server.state.rawValue
    self.init(
      log: MCPServerPool.runPrefix + server.name,
      name: "mcp:\(server.name)",
      role: "server",
      state: server.problem.map { "\(state), \($0)" } ?? state
    )
    (pid, memory, launched) = (server.pid, server.memory, server.launched)
    style = server.problem != nil ? .red : server.calls > 0 ? .green : .dim
  }

  init(_ launch: LaunchStatus) {
    self.init(log: launch.run, name: launch.run, role: "", state: HostText.obstacle(to: launch))
    style = .yellow
  }

  init(_ host: HostReport) {
    let state = HostText.state(host)
    self.init(
      log: Folders.outpostLog(host.name),
      name: "host:\(host.name)",
      role: "host",
      state: state
    )
    launched = host.since
    style = host.state == "up" ? .dim : .yellow
  }

  init(_ worker: WorkerStatus, depth: Int) {
    var doing = PsCommand.state(PsCommand.doing(worker), worker.corePlace)
    if let host = worker.host { doing += ", on \(host)" }
    self.init(log: worker.run, name: worker.agent, role: worker.role.rawValue, state: doing)
    (self.depth, pid, session) = (depth, worker.pid, worker.session)
    (memory, launched) = (worker.memory, worker.launched)
    figures = Figures(
      tokensOut: worker.tokensOut,
      tokensPerSecond: worker.tokensPerSecond,
      context: PsCommand.context(worker)
    )
    let waits = worker.corePlace != nil || worker.serverWait != nil
    style =
      switch worker.state {
      case _ where waits: .yellow
      case .responding: .green
      case .asking, .waitingForClient: .yellow
      case .loading: []
      case .idle: .dim
      }
  }

  /// A worker, and the friends that answer it.
  static func rows(_ worker: WorkerStatus, depth: Int) -> [TopRow] {
    [TopRow(worker, depth: depth)] + worker.friends.flatMap { rows($0, depth: depth + 1) }
  }
}
