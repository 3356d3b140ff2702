import Foundation
package import Journal
import Transcripts

/// All conversations of a coordinator.
package actor Conversations {
  /// The questions that people are asked.
  package nonisolated let approvals: ApprovalBroker
  private let services: Conversation.Services
  private var open: [String: Conversation] = [:]
  /// The conversations that are being opened, which may involve waiting for a compiler.
  private var opening: [String: Task<Conversation, any Error>] = [:]
  /// The conversations at rest; one is read from the journal again unless it is still in use.
  private var resting: [String: Resting] = [:]
  private var isClosed = false

  package init(
    journal: Journal,
    workers: any Workers,
    catalog: any AgentCatalog,
    servers: any MCPServers = NoMCPServers(),
    cores: Cores? = nil,
    stopPatience: Duration = .seconds(2),
    fitPatience: Duration = .seconds(30),
    restarts: RestartPolicy = RestartPolicy()
  ) {
    approvals = ApprovalBroker(journal: journal)
    services = Conversation.Services(
      journal: journal,
      workers: workers,
      catalog: catalog,
      approvals: approvals,
      servers: servers,
      cores: cores,
      stopPatience: stopPatience,
      fitPatience: fitPatience,
      restarts: restarts
    )
  }

  /// Returns the conversation with a name: continued where it stopped, or begun.
  /// - Parameter agent: Who begins it if it is new; `nil` for the catalog's choice.
  /// - Throws: `SessionName.Fault` for an invalid name, `ConversationError` or `JournalError`.
  package func conversation(
    named given: String,
    begunBy agent: String? = nil
  ) async throws -> Conversation {
    guard !isClosed else { throw ConversationError.closed }
    let name = try SessionName.checked(given)
    if let agent {
      guard await services.catalog.agent(named: agent) != nil else {
        throw ConversationError.noSuchAgent(agent)
      }
      // The actor was suspended.
      guard !isClosed else { throw ConversationError.closed }
    }
    if let known = open[name] { return known }
    // Two prompts that come at the same time must find the same conversation.
    if let task = opening[name] { return try await task.value }
    // A caller still has it and may be about to ask: there are never two with the same name.
    if let known = resting.removeValue(forKey: name)?.conversation {
      open[name] = known
      return known
    }
    // A task, so that a caller that gives up waiting does not keep others from the conversation.
    let task = Task { try await self.openConversation(name, begunBy: agent) }
    opening[name] = task
    return try await task.value
  }

  private func openConversation(
    _ name: String,
    begunBy agent: String?
  ) async throws -> Conversation {
    defer { opening[name] = nil }
    let conversation = try await Self.load(name, begunBy: agent, services)
    open[name] = conversation
    return conversation
  }

  private static func load(
    _ name: String,
    begunBy agent: String?,
    _ services: Conversation.Services
  ) async throws -> Conversation {
    var beginner = agent
    if beginner == nil { beginner = await services.catalog.beginner() }
    guard let beginner else { throw ConversationError.noAgents }
    let record = try await services.journal.conversation(named: name, holder: beginner)
    let reader = JournalReader(services.journal)
    let (recovery, past, holder) = try await recover(record, services, reader)
    var found = record
    found.holder = holder
    return Conversation(
      found,
      title: name,
      past: past,
      windows: try await reader.windows(of: record.id),
      recovery: recovery,
      services: services
    )
  }

  /// Deals with turns without an end, during which a coordinator ended.
  ///
  /// The next prompt finishes such a turn first, unless the turn itself seems to end coordinators.
  private static func recover(
    _ record: ConversationRecord,
    _ services: Conversation.Services,
    _ reader: JournalReader
  ) async throws -> (TurnRecovery, ConversationPast, holder: String) {
    let journal = services.journal
    var recovery = TurnRecovery()
    var holder = record.holder
    var open: TurnRecord?
    let turns = try await reader.turns(of: record.id)
    for turn in turns where turn.exit == nil {
      guard turn.id != turns.last?.id else {
        open = turn
        continue
      }
      // Later turns began without knowing of it, so only its end was not written.
      _ = try await FriendRecovery(journal: journal).endFriends(of: turn.id, in: record.id)
      let exit = TurnExit.failed("Its end could not be journaled.")
      try await journal.append(
        [.ended(exit, revertingTo: holder)],
        in: record.id,
        turn: turn.id
      )
    }
    var past = ConversationPast(
      history: try await reader.history(of: record.id, without: open?.id),
      properties: try await reader.properties(of: record.id),
      holder: holder
    )
    guard let open else { return (recovery, past, holder) }
    let friends = try await FriendRecovery(journal: journal)
      .endFriends(of: open.id, in: record.id)
    past.holder = try await reader.batons(of: open.id).first?.from ?? holder
    let found = try await InterruptedTurn(open, of: record.id, from: past, friends: friends, reader)
    holder = found.state.baton.holder
    guard open.resumptions >= InterruptedTurn.maximumResumptions else {
      recovery.interrupted = found
      return (recovery, past, holder)
    }
    let exit = TurnExit.failed("\(open.resumptions + 1) coordinators stopped during the turn.")
    try await journal.append([.ended(exit, revertingTo: past.holder)], in: record.id, turn: open.id)
    past.properties = found.state.properties
    let words = found.prompt.split { $0.isNewline }.joined(separator: " ")
    recovery.abandoned =
      "the interrupted turn '\(words.prefix(80))' was abandoned: \(exit)"
    return (recovery, past, past.holder)
  }

  /// Finishes the turns during which an earlier coordinator ended, one after another.
  ///
  /// Friends' turns whose callers have ended are ended first. A turn with a call that waits
  /// for a person is left to the next prompt, which may come from one, and so are a turn that was
  /// imported and one whose agent no longer exists. The watcher is told of each.
  /// - Parameters:
  ///   - name: A conversation that the caller resumes itself.
  ///   - isAttended: Whether a person is present who can be asked before calls are made.
  ///   - watch: Receives each event with its conversation, including what keeps one from going on.
  /// - Throws: The error that kept the turns from being found.
  package func resumeInterrupted(
    except name: String? = nil,
    isAttended: Bool = false,
    watch: @escaping @Sendable (_ conversation: String, _ event: TurnEvent) -> Void
  ) async throws {
    let reader = JournalReader(services.journal)
    var trouble: (any Error)?
    for turn in try await reader.endedTurnsWithOpenFriends() {
      do {
        _ = try await FriendRecovery(journal: services.journal)
          .endFriends(of: turn.id, in: turn.conversation)
      } catch {
        // One conversation that cannot be read keeps no other from going on.
        trouble = trouble ?? error
      }
    }
    for record in try await reader.conversationsWithOpenTurns() {
      guard let title = record.name, title != name else { continue }
      guard !Task.isCancelled else { return }
      guard await services.catalog.agent(named: record.holder) != nil else {
        watch(title, .trouble(Self.waiting(forAgent: record.holder)))
        continue
      }
      do {
        let conversation = try await conversation(named: title)
        guard await conversation.canResumeAlone else {
          if await conversation.waitsForClient {
            watch(title, .trouble(Self.waitingForClient))
          } else if await conversation.waitsForPrompt {
            watch(title, .trouble(Self.waitingForPrompt))
          } else if await conversation.isInterrupted {
            watch(title, .trouble(Self.waiting))
          }
          if let abandoned = await conversation.takeAbandoned() {
            watch(title, .trouble(abandoned))
          }
          continue
        }
        _ = try await conversation.resume(isAttended: isAttended) { watch(title, $0) }
      } catch ConversationError.closed {
        return
      } catch is CancellationError {
        return
      } catch {
        watch(title, .trouble(String(describing: error)))
      }
    }
    if let trouble { throw trouble }
  }

  /// Stops the current turn of a conversation, because a person takes it back.
  package func cancel(_ given: String) async {
    guard let name = try? SessionName.checked(given) else { return }
    if let known = open[name] { return await known.cancel() }
    if let known = try? await opening[name]?.value { return await known.cancel() }
    // A turn that waits for its client may wait on disk alone.
    guard await waitsOnDisk(name) else { return }
    await (try? conversation(named: name))?.cancel()
  }

  /// Whether the last turn of a conversation has no end.
  private func waitsOnDisk(_ name: String) async -> Bool {
    let reader = JournalReader(services.journal)
    guard let record = try? await reader.conversation(named: name),
      let turn = try? await reader.turns(of: record.id).last
    else { return false }
    return turn.exit == nil
  }

  /// Ends the workers of conversations that were idle for some time, and forgets what was said.
  ///
  /// Old conversations therefore do not hold memory and descriptors forever.
  package func retireWorkers(idleFor time: Duration) async {
    resting = resting.filter { $0.value.conversation != nil }
    for (name, conversation) in known() {
      await conversation.retireWorkers(idleFor: time)
      // The actor was suspended: everything may be closed.
      guard await conversation.isAtRest(for: time), !isClosed else { continue }
      open[name] = nil
      resting[name] = Resting(conversation: conversation)
    }
  }

  /// Returns the open conversations, and those at rest that are still in use, sorted by name.
  private func known() -> [(name: String, conversation: Conversation)] {
    let known = resting.compactMapValues(\.conversation).merging(open) { $1 }
    return known.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Ends the workers of the conversation that has been idle longest.
  /// - Returns: Whether there were any; on return they are gone.
  package func retireIdleWorkers() async -> Bool {
    var candidates: [(idle: Duration, conversation: Conversation)] = []
    for (_, conversation) in known() {
      candidates.append((await conversation.idleTime, conversation))
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
      for (_, conversation) in known { await conversation.takeBackCores() }
      for (_, conversation) in known { await conversation.show(wait) }
    }
  }

  /// How busy the cores are; `nil` when they are not shared.
  package nonisolated var coreLoad: CoreLoad? { services.cores?.load }

  /// Returns all workers as a person is shown them.
  package func workers() async -> [WorkerStatus] {
    var statuses: [WorkerStatus] = []
    for (_, conversation) in known() { statuses += await conversation.workers() }
    return statuses
  }

  private static let waiting =
    "an interrupted turn is waiting for a person, who is asked again at the session's next prompt"

  private static let waitingForClient =
    "an interrupted turn is waiting for its client to perform calls, and goes on with their outputs"

  /// What a person needs to know about a turn that comes from a file.
  package static let waitingForPrompt =
    "an imported turn that had not ended is waiting for the session's next prompt, which finishes"
    + " it first"

  private static func waiting(forAgent name: String) -> String {
    "an interrupted turn is waiting for its agent '\(name)', which is not available; the session's"
      + " next prompt continues it, with another agent if this one is gone"
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
      for (_, conversation) in known { group.addTask { await conversation.close() } }
    }
  }

  /// A conversation that lives only as long as others hold it.
  private struct Resting {
    weak var conversation: Conversation?
  }
}
