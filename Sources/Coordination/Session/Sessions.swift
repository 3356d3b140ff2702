import Foundation
package import Journal
import Transcripts
package import Wire

/// The sessions of a coordinator.
package actor Sessions {
  /// The questions that people are asked.
  package nonisolated let approvals: ApprovalBroker
  let services: ConversationServices
  var open: [String: Session] = [:]
  /// The sessions that are being deleted.
  var deleting: [String: Task<[String], any Error>] = [:]
  /// The sessions that are being opened, which may involve waiting for a compiler.
  private(set) var opening: [String: Task<Session, any Error>] = [:]
  /// The sessions at rest; one is read from the journal again unless it is still in use.
  var resting: [String: Resting] = [:]
  private(set) var isClosed = false

  package init(
    journal: Journal,
    workers: any Workers,
    catalog: any AgentCatalog,
    servers: any MCPServers = NoMCPServers(),
    cores: (any CoreSchedule)? = nil,
    stopPatience: Duration = .seconds(2),
    fitPatience: Duration = .seconds(30),
    restarts: RestartPolicy = RestartPolicy(),
    hostLease: Duration = .zero,
    tracing: Tracing = .given
  ) {
    approvals = ApprovalBroker(journal: journal)
    services = ConversationServices(
      journal: journal,
      workers: workers,
      catalog: catalog,
      approvals: approvals,
      servers: servers,
      cores: cores,
      stopPatience: stopPatience,
      fitPatience: fitPatience,
      restarts: restarts,
      hostLease: hostLease,
      tracing: tracing
    )
  }

  /// Returns the session with a name: continued where it stopped, or begun.
  /// - Parameter agent: Who begins it if it is new; `nil` for the catalog's choice.
  /// - Throws: `SessionName.Fault` for an invalid name, `ConversationError` or `JournalError`.
  package func session(
    named given: String,
    begunBy agent: String? = nil
  ) async throws -> Session {
    try await session(named: given, SessionBeginning(agent: agent))
  }

  /// Returns the session with a name: continued where it stopped, or begun.
  /// - Throws: `SessionName.Fault` for an invalid name, `ConversationError` or `JournalError`.
  package func session(
    named given: String,
    _ beginning: SessionBeginning
  ) async throws -> Session {
    guard !isClosed else { throw ConversationError.closed }
    let name = try SessionName.checked(given)
    try beginning.validate()
    if let agent = beginning.agent {
      guard await services.catalog.agent(named: agent) != nil else {
        throw ConversationError.noSuchAgent(agent)
      }
    }
    let session = try await found(name, beginning)
    if !beginning.history.isEmpty, await !session.hasComeTo(beginning.history) {
      throw ConversationError.alreadyBegun(name)
    }
    return session
  }

  /// Returns the session with a name, which has begun before.
  /// - Throws: `SessionName.Fault` for an invalid name, `ConversationError.deleted` if there is none
  ///   any more, other cases of `ConversationError`, or `JournalError`.
  package func existing(_ given: String) async throws -> Session {
    try await found(SessionName.checked(given), nil)
  }

  /// - Parameter beginning: How it begins; `nil` to find only one that has begun.
  private func found(_ name: String, _ beginning: SessionBeginning?) async throws -> Session {
    while let task = deleting[name] { _ = try? await task.value }
    // The actor was suspended.
    guard !isClosed else { throw ConversationError.closed }
    if let known = open[name] { return known }
    // Two prompts that come at the same time must find the same session.
    if let task = opening[name] {
      do {
        return try await task.value
      } catch ConversationError.deleted where beginning != nil {
        // The other caller does not begin it.
        return try await found(name, beginning)
      }
    }
    // A caller still has it and may be about to ask: there are never two with the same name.
    if let known = resting.removeValue(forKey: name)?.session {
      open[name] = known
      return known
    }
    // A task, so that a caller that gives up waiting does not keep others from the session.
    let task = Task { try await self.openSession(name, beginning) }
    opening[name] = task
    return try await task.value
  }

  private func openSession(
    _ name: String,
    _ beginning: SessionBeginning?
  ) async throws -> Session {
    defer { opening[name] = nil }
    let session = try await Self.load(name, beginning, services)
    open[name] = session
    return session
  }

  private static func load(
    _ name: String,
    _ beginning: SessionBeginning?,
    _ services: ConversationServices
  ) async throws -> Session {
    let reader = JournalReader(services.journal)
    let record: ConversationRecord
    if let beginning {
      var beginner = beginning.agent
      if beginner == nil { beginner = await services.catalog.beginner() }
      guard let beginner else { throw ConversationError.noAgents }
      record = try await services.journal.conversation(
        beginning.start(named: name, holder: beginner),
        history: beginning.history
      )
    } else {
      guard let known = try await reader.conversation(named: name) else {
        throw ConversationError.deleted(name)
      }
      record = known
    }
    let (recovery, past, holder) = try await recover(record, services, reader)
    var found = record
    found.holder = holder
    let conversation = Conversation(
      found,
      title: name,
      past: past,
      windows: try await reader.windows(of: record.id),
      services: services
    )
    return Session(conversation, recovery: recovery)
  }

  /// Ends the workers of conversations that were idle for some time, and forgets what was said.
  ///
  /// Old conversations therefore do not hold memory and descriptors forever. Temporary sessions whose
  /// turn has ended are deleted, however it ended: not every end is seen by a request.
  /// - Returns: The runs of the workers of what was deleted.
  @discardableResult
  package func retireWorkers(idleFor time: Duration) async -> [String] {
    var deleted: [String] = []
    resting = resting.filter { $0.value.session != nil }
    for (name, session) in known() {
      await session.retireWorkers(idleFor: time)
      // The actor was suspended: everything may be closed.
      guard await session.isAtRest(for: time), !isClosed else { continue }
      if await session.isSpent, let runs = try? await delete(name) {
        deleted += runs
        continue
      }
      // As it was, unless it was taken up meanwhile; one that cannot be deleted is at the next start.
      guard await session.isAtRest(for: time), !isClosed, open[name] === session else {
        continue
      }
      open[name] = nil
      resting[name] = Resting(session: session)
    }
    return deleted
  }

  /// Returns the open conversations, and those at rest that are still in use, sorted by name.
  private func known() -> [(name: String, session: Session)] {
    let known = resting.compactMapValues(\.session).merging(open) { $1 }
    return known.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Ends the workers of the conversation that has been idle longest.
  /// - Returns: Whether there were any; on return they are gone.
  package func retireIdleWorkers() async -> Bool {
    var candidates: [(idle: Duration, conversation: Conversation)] = []
    for (_, session) in known() {
      candidates.append((await session.conversation.idleTime, session.conversation))
    }
    for (_, conversation) in candidates.sorted(by: { $0.idle > $1.idle }) {
      if await conversation.retireIdleWorkers() { return true }
    }
    return false
  }

  /// Tells the watchers of turns about workers that wait for a core, until the task is cancelled.
  package func watchCores() async {
    guard let waits = services.cores?.waits else { return }
    for await wait in waits {
      let known = known()
      // First, because afterwards perhaps no worker waits any more.
      for (_, session) in known { await session.conversation.takeBackCores() }
      for (_, session) in known { await session.conversation.show(wait) }
    }
  }

  /// How busy the cores are; `nil` when they are not shared.
  package nonisolated var coreLoad: CoreLoad? { services.cores?.load }

  /// Returns all workers as a person is shown them.
  package func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for (_, session) in known() { statuses += await session.conversation.workers() }
    return statuses
  }

  /// Returns how many prompts wait for those before them.
  package func waitingPrompts() async -> Int {
    var count = 0
    for (_, session) in known() { count += await session.waitingPrompts }
    return count
  }

  /// Ends all workers, and accepts no more prompts.
  package func close() async {
    isClosed = true
    // A conversation that is only being opened may wait for a compiler.
    for task in opening.values { task.cancel() }
    for task in opening.values { _ = try? await task.value }
    let known = known()
    (open, resting) = ([:], [:])
    await withTaskGroup(of: Void.self) { group in
      for (_, session) in known { group.addTask { await session.close() } }
    }
  }

  /// A session that lives only as long as others hold it.
  struct Resting {
    weak var session: Session?
  }
}
