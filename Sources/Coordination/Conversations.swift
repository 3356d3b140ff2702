import AgentKit
import Foundation
package import Journal

/// All conversations of a coordinator.
package actor Conversations {
  /// What people are asked.
  package nonisolated let approvals: ApprovalDesk
  private let services: Conversation.Services
  private var open: [String: Task<Conversation, any Error>] = [:]
  private var isClosed = false

  package init(
    journal: Journal,
    workers: any Workers,
    catalog: any AgentCatalog,
    cores: Cores? = nil,
    stopPatience: Duration = .seconds(2),
    restarts: RestartPolicy = RestartPolicy()
  ) {
    approvals = ApprovalDesk(journal: journal)
    services = Conversation.Services(
      journal: journal,
      workers: workers,
      catalog: catalog,
      approvals: approvals,
      cores: cores,
      stopPatience: stopPatience,
      restarts: restarts
    )
  }

  /// The conversation with a name: continued where it stopped, or begun.
  package func conversation(named name: String) async throws -> Conversation {
    guard !isClosed else { throw ConversationError.closed }
    if let known = open[name] { return try await known.value }
    let services = services
    // Two prompts that come at the same time must find one conversation.
    let task = Task { try await Self.load(name, services) }
    open[name] = task
    do {
      return try await task.value
    } catch {
      open[name] = nil
      throw error
    }
  }

  private static func load(
    _ name: String,
    _ services: Conversation.Services
  ) async throws -> Conversation {
    guard let beginner = await services.catalog.beginner() else {
      throw ConversationError.noAgents
    }
    var record = try await services.journal.conversation(named: name, holder: beginner)
    let reader = JournalReader(services.journal)
    var interrupted: InterruptedTurn?
    // A turn without an exit is one in which the coordinator ended. The next prompt finishes it first,
    // unless it is what ends the coordinators.
    let turns = try await reader.turns(of: record.id)
    for turn in turns where turn.exit == nil {
      try await services.journal.endFriends(of: turn.id)
      if turn.id != turns.last?.id {
        // Others have come after it that knew nothing of it: only its end was not written.
        let exit = TurnExit.failed("Its end could not be journaled.")
        try await services.journal.endTurn(turn.id, exit: exit, revertingTo: record.holder)
        continue
      }
      let found = try await InterruptedTurn(turn, of: record, reader)
      guard turn.resumptions >= InterruptedTurn.maximumResumptions else {
        interrupted = found
        continue
      }
      let exit = TurnExit.failed("\(turn.resumptions + 1) coordinators ended during the turn.")
      try await services.journal.endTurn(turn.id, exit: exit, revertingTo: found.holderBefore)
      record.holder = found.holderBefore
    }
    if await services.catalog.agent(named: record.holder) == nil { record.holder = beginner }
    return Conversation(
      record,
      title: name,
      history: try await reader.history(of: record.id, without: interrupted?.record.id),
      properties: try await reader.properties(of: record.id),
      windows: try await reader.windows(of: record.id),
      interrupted: interrupted,
      services: services
    )
  }

  /// Ends the workers of conversations in which nothing has been asked for so many seconds, so that
  /// old ones do not hold memory and descriptors for ever.
  package func retireWorkers(idleFor time: Double) async {
    for task in open.values {
      if let conversation = try? await task.value {
        await conversation.retireWorkers(idleFor: time)
      }
    }
  }

  /// Ends the workers of the conversation that has been idle for the longest.
  /// - Returns: Whether there were any; they are gone then.
  package func retireIdleWorkers() async -> Bool {
    var candidates: [(since: Date, conversation: Conversation)] = []
    for task in open.values {
      guard let conversation = try? await task.value else { continue }
      candidates.append((await conversation.lastAnswer ?? .distantPast, conversation))
    }
    for (_, conversation) in candidates.sorted(by: { $0.since < $1.since }) {
      if await conversation.retireIdleWorkers() { return true }
    }
    return false
  }

  /// Tells whoever watches a turn of the workers that wait for a core, until the task is cancelled.
  package func watchCores() async {
    guard let waits = services.cores?.waits else { return }
    for await wait in waits {
      for task in open.values { await (try? task.value)?.tell(of: wait) }
    }
  }

  /// How busy the cores are; `nil` where nobody shares them.
  package nonisolated var coreLoad: CoreLoad? { services.cores?.load }

  /// All workers, as a person is shown them.
  package func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for name in open.keys.sorted() {
      if let conversation = try? await open[name]?.value {
        statuses += await conversation.workers()
      }
    }
    return statuses
  }

  /// Ends all workers, and accepts no more prompts.
  package func close() async {
    isClosed = true
    let tasks = open.values
    open = [:]
    await withTaskGroup(of: Void.self) { group in
      for task in tasks {
        group.addTask { try? await task.value.close() }
      }
    }
  }
}
