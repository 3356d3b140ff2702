package import Transcripts
package import Wire

/// What Coordination needs of workers; Supervision's roster provides it.
package protocol Workers: Sendable {
  /// Launches a worker for an agent; the worker knows nothing of the conversation yet.
  ///
  /// It is a new worker under the given run, or a spare under a run of its own. What it says
  /// arrives as events of its link.
  /// - Parameter onWait: Called while something is not there for it; the wait ends with the task.
  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchObstacle) -> Void
  ) async throws -> any WorkerLink
}

/// What a worker waits for before it can be started.
package enum LaunchObstacle: Sendable, Equatable {
  case memory(LaunchWait)
  case host(HostWait)
  /// It is to run elsewhere than it should, for this reason.
  case elsewhere(String)
}

/// The wait of a worker for a host.
package struct HostWait: Sendable, Equatable, Codable {
  package enum State: String, Sendable, Codable {
    /// What provides the host has queued the request for it.
    case queued
    case starting
  }

  package var host: String
  package var state: State
  /// Why the host is not there, in the words of what provides it.
  package var reason: String?

  package init(host: String, state: State, reason: String? = nil) {
    (self.host, self.state, self.reason) = (host, state, reason)
  }
}

/// The wait of a worker for memory, with sizes in bytes.
package struct LaunchWait: Sendable, Equatable, Codable {
  /// The place in the queue; one for the next to be started.
  package var place: Int
  package var needed: Int
  package var free: Int

  package init(place: Int, needed: Int, free: Int) {
    self.place = place
    self.needed = needed
    self.free = free
  }
}

/// A worker that lives, or has lived.
package protocol WorkerLink: Sendable {
  var run: RunID { get }
  /// The host on which it runs; `nil` for this one.
  var host: String? { get }
  /// Its number on its host.
  var pid: Int32 { get }
  var log: String { get }
  /// Everything that the worker says, in order, followed by its death; for one reader only.
  var events: AsyncStream<WorkerEvent> { get }

  /// The memory of the worker in bytes, with shared pages divided among users; `nil` if unknown.
  var memory: Int? { get }
  /// How far the worker has come with work that takes long; `nil` when there is none.
  var progress: WorkProgress? { get }

  func send(_ message: ToWorker) throws
  /// Ends the worker when its current work is done.
  /// - Returns: Whether it has ended; no signal ends one that is stuck inside the kernel.
  @discardableResult func retire() async -> Bool
  /// Kills the worker now, for a reason that its exit status will not show.
  func kill(_ cause: Death.Cause)
}

extension WorkerLink {
  /// Here, which is the default.
  package var host: String? { nil }
}

/// An agent for which workers can be started.
package struct LaunchableAgent: Sendable, Equatable {
  package var name: String
  package var plugin: String
  package var model: String?
  package var contextSize: Int?
  package var launcher: String
  /// What the agent declares about itself.
  package var declaration: AgentDescription?
  /// Names what is kept for the agent, unlike for a namesake from elsewhere.
  package var key: String

  package init(
    name: String,
    plugin: String,
    model: String?,
    contextSize: Int?,
    launcher: String = "local",
    declaration: AgentDescription? = nil,
    key: String? = nil
  ) {
    self.name = name
    self.plugin = plugin
    self.model = model
    self.contextSize = contextSize
    self.launcher = launcher
    self.declaration = declaration
    self.key = key ?? name
  }
}

/// The agents that can be asked now.
///
/// Consulted before every turn, because agents may change while the coordinator runs.
package protocol AgentCatalog: Sendable {
  func agent(named name: String) async -> LaunchableAgent?
  /// Returns the agent that begins a new conversation.
  func beginner() async -> String?
  /// Returns why an agent that cannot be asked now may be there again: its source does not compile;
  /// `nil` for one that has no source.
  func problem(of name: String) async -> String?
}
