package import Coordination
package import Foundation
package import Journal
package import Plugins
package import Wire

/// What the control plane reports about the coordinator.
package struct CoordinatorStatus: Codable, Sendable, Equatable {
  package var pid: Int32
  package var started: Date
  /// The folder that it writes to.
  package var state: String?
  package var agents: String
  package var model: String?
  /// How workers are confined.
  package var sandbox: String?
  /// The network address on which it listens; `nil` if it listens on its socket alone.
  package var door: String?
}

/// A process that stands by for workers.
package struct StandbyStatus: Codable, Sendable, Equatable {
  package var run: String
  package var pid: Int32
  /// Its name in the list of processes, such as `template-title`.
  package var name: String
  /// A template, from which others are forked, or a spare, which becomes a worker.
  package var role: String
  /// Whether its preparation is complete.
  package var isReady: Bool
  package var model: String?
  /// The proportional set size, in bytes.
  package var memory: Int?
  package var launched: Date
  /// Its place in the queue for a core; `nil` if it does not wait.
  package var corePlace: Int?
  /// How far it has come with loading its model or computing its prefix, if that takes long.
  package var progress: WorkProgress?
}

/// A worker that waits for memory, or for a host.
package struct LaunchStatus: Codable, Sendable, Equatable {
  package var run: String
  package var wait: LaunchWait?
  package var host: HostWait?
}

/// Everything that is running.
package struct ProcessTree: Codable, Sendable, Equatable {
  package var coordinator: CoordinatorStatus
  /// How far the compilation of agents has come; `nil` when none is under way.
  package var compilation: Compilation?
  /// How busy the cores are; `nil` when they are not shared.
  package var cores: CoreLoad?
  package var standbys: [StandbyStatus]
  package var launches: [LaunchStatus]
  package var workers: [WorkerStatus]
  /// The MCP servers that agents can take tools from.
  package var servers: [MCPServerStatus] = []
  /// The other machines on which workers may run.
  package var hosts: [HostReport] = []
  package var deaths: DeathList
  /// The calls that wait for a person.
  package var approvals: [ApprovalRecord]
  /// The calls that wait for the clients that are to perform them.
  package var clientCalls: [ClientCallRecord]
}

extension WorkerStatus {
  /// The worker and those of its friends, at any depth.
  package var withFriends: [WorkerStatus] { [self] + friends.flatMap(\.withFriends) }
}
