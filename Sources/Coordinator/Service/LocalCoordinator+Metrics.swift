import Coordination
import Foundation
import Journal
import Telemetry
import Wire

extension Coordinator {
  /// How long facts are read for one answer; the rest is read for the next.
  private static let metricPatience = Duration.seconds(2)

  /// Returns everything that can be measured, in Prometheus's text format.
  func metrics(_ tree: ProcessTree) async throws -> String {
    var table = try await telemetry.metrics.values(within: Self.metricPatience)
    table.setProcess(started: tree.coordinator.started)
    table.set(.telemetryDropped, Double(telemetry.droppedSpans))
    let commits = journal.commitTimes
    table.set(.journalCommits, counts: commits.counts, sum: commits.seconds)
    table.set(
      .buildInfo,
      1,
      [
        MetricTable.Label("version", Version.current),
        MetricTable.Label("model", tree.coordinator.model.map(Self.fileName) ?? ""),
        MetricTable.Label("sandbox", tree.coordinator.sandbox ?? ""),
      ]
    )
    table.setProcesses(tree)
    table.setQueues(tree, prompts: await sessions.waitingPrompts())
    return table.text
  }

  private static func fileName(_ path: String) -> String { URL(filePath: path).lastPathComponent }
}

extension MetricTable {
  fileprivate mutating func setProcesses(_ tree: ProcessTree) {
    var counts: [Labels: Int] = [:]
    var memory: [String: Int] = [:]
    for standby in tree.standbys {
      let state = standby.isReady ? "ready" : "loading"
      counts[[Label("role", standby.role), Label("state", state)], default: 0] += 1
      memory[standby.role, default: 0] += standby.memory ?? 0
    }
    for worker in tree.workers.flatMap(\.withFriends) {
      let role = worker.role.rawValue
      counts[[Label("role", role), Label("state", worker.state.rawValue)], default: 0] += 1
      memory[role, default: 0] += worker.memory ?? 0
    }
    for (labels, count) in counts { set(.workers, Double(count), labels) }
    for (role, bytes) in memory { set(.workerMemory, Double(bytes), [Label("role", role)]) }
  }

  fileprivate mutating func setQueues(_ tree: ProcessTree, prompts: Int) {
    let waiting = [
      ("core", tree.cores?.waiting ?? 0), ("memory", tree.launches.count { $0.wait != nil }),
      ("host", tree.launches.count { $0.host != nil }), ("turn", prompts),
      ("approval", tree.approvals.count),
    ]
    for (what, count) in waiting { set(.queueWaiting, Double(count), [Label("for", what)]) }
    set(.approvalsWaiting, Double(tree.approvals.count))
    guard let cores = tree.cores else { return }
    set(.cores, Double(cores.busy), [Label("state", "busy")])
    set(.cores, Double(max(0, cores.cores - cores.busy)), [Label("state", "free")])
  }
}
