package import AgentKit
package import Wire

/// What Coordination needs of workers; Supervision's roster gives it.
package protocol Workers: Sendable {
  /// A worker for an agent that has heard of nothing yet: a new one, whose run is called as given, or
  /// one that stood by, whose run is its own. What it says comes as events of its line.
  /// - Parameter onWait: Called while there is no memory for it; the wait ends with the task.
  func launch(
    _ agent: LaunchableAgent,
    run: RunID,
    onWait: @escaping @Sendable (LaunchWait) -> Void
  ) async throws -> any WorkerLink
}

/// A worker that waits for memory, in bytes.
package struct LaunchWait: Sendable, Equatable, Codable {
  /// One for the next to be started.
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
  var pid: Int32 { get }
  var log: String { get }
  /// Everything that the worker says, in order, then its death. Read by one reader.
  var events: AsyncStream<WorkerEvent> { get }

  /// What it occupies of the memory in bytes, shared pages by their share; `nil` when that cannot
  /// be told.
  var memory: Int? { get }

  func send(_ message: ToWorker) throws
  /// Ends the worker when its work in hand is done; returns when it has ended.
  func retire() async
  /// Ends the worker now, for a reason that its exit status will not tell.
  func kill(_ cause: Death.Cause)
}

/// An agent that workers can be started for.
package struct LaunchableAgent: Sendable, Equatable {
  package var name: String
  package var description: String
  package var plugin: String
  package var model: String?
  package var contextSize: Int?
  package var launcher: String
  /// What the agent says of itself.
  package var declaration: AgentDescription?

  package init(
    name: String,
    description: String,
    plugin: String,
    model: String?,
    contextSize: Int?,
    launcher: String = "local",
    declaration: AgentDescription? = nil
  ) {
    self.name = name
    self.description = description
    self.plugin = plugin
    self.model = model
    self.contextSize = contextSize
    self.launcher = launcher
    self.declaration = declaration
  }
}

/// The agents that can be asked now.
///
/// Asked before every turn, because they may change while the coordinator runs.
package protocol AgentCatalog: Sendable {
  func agent(named name: String) async -> LaunchableAgent?
  /// Who begins a new conversation.
  func beginner() async -> String?
}
