import Foundation
package import Journal
import Transcripts

/// All conversations of a coordinator.
package actor Conversations {
  /// The questions that people are asked.
  package nonisolated let approvals: ApprovalDesk
  private let services: Conversation.Services
  private var open: [String: Conversation] = [:]
  /// The conversations that are being opened, which may involve waiting for a compiler.
  private var opening: [String: Task<Conversation, any Error>] = [:]
  /// The conversations at rest; one is read from the journal again unless somebody still has it.
  private var resting: [String: Resting] = [:]
  private var isClosed = false

  package init(
    journal: Journal,
    workers: any Workers,
    catalog: any AgentCatalog,
    cores: Cores? = nil,
    stopPatience: Duration = .seconds(2),
    fitPatience: Duration = .seconds(30),
    restarts: RestartPolicy = RestartPolicy(),
    entryPatience: Duration = .milliseconds(5)
  ) {
    approvals = ApprovalDesk(journal: journal)
    services = Conversation.Services(
      journal: journal,
      workers: workers,
      catalog: catalog,
      approvals: approvals,
      cores: cores,
      stopPatience: stopPatience,
      fitPatience: fitPatience,
      restarts: restarts,
      entryPatience: entryPatience
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
    // Somebody still has it and may be about to ask: there are never two with the same name.
    if let known = resting.removeValue(forKey: name)?.conversation {
      open[name] = known
      return known
    }
    // A task, so that a caller that gives up waiting does not keep others from the conversation.
    let task = Task { try await self.openConversation(name, given: given, begunBy: agent) }
    opening[name] = task
    return try await task.value
  }

  private func openConversation(
    _ name: String,
    given: String,
    begunBy agent: String?
  ) async throws -> Conversation {
    defer { opening[name] = nil }
    // Older versions journaled the name as it was given.
    let journaled = try await JournalReader(services.journal).journaledName(of: given)
    let conversation = try await Self.load(journaled ?? name, begunBy: agent, services)
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
    var record = try await services.journal.conversation(named: name, holder: beginner)
    let reader = JournalReader(services.journal)
    var (interrupted, givenUp): (InterruptedTurn?, String?)
    // A turn without an exit is one during which the coordinator ended. The next prompt finishes it
    // first, unless the turn itself seems to end coordinators.
    let turns = try await reader.turns(of: record.id)
    for turn in turns where turn.exit == nil {
      try await services.journal.endFriends(of: turn.id)
      if turn.id != turns.last?.id {
        // Later turns began without knowing of it, so only its end was not written.
        let exit = TurnExit.failed("Its end could not be journaled.")
        try await services.journal.endTurn(turn.id, exit: exit, revertingTo: record.holder)
        continue
      }
      let found = try await InterruptedTurn(turn, of: record, reader)
      guard turn.resumptions >= InterruptedTurn.maximumResumptions else {
        interrupted = found
        continue
      }
      let exit = TurnExit.failed("\(turn.resumptions + 1) coordinators stopped during the turn.")
      try await services.journal.endTurn(turn.id, exit: exit, revertingTo: found.holderBefore)
      record.holder = found.holderBefore
      let words = found.prompt.split(whereSeparator: \.isNewline).joined(separator: " ")
      givenUp = "the interrupted turn '\(words.prefix(80))' was abandoned: \(exit)"
    }
    return Conversation(
      record,
      title: name,
      history: try await reader.history(of: record.id, without: interrupted?.record.id),
      properties: try await reader.properties(of: record.id),
      windows: try await reader.windows(of: record.id),
      interrupted: interrupted,
      givenUp: givenUp,
      services: services
    )
  }

  /// Finishes the turns during which an earlier coordinator ended, one after another.
  ///
  /// Friends' turns that nobody waits for any more are ended first. A turn with a call that waits
  /// for a person is left to the next prompt, which may come from one, and so are a turn that was
  /// imported and one whose agent no longer exists. The watcher is told of each.
  /// - Parameters:
  ///   - name: A conversation that somebody else takes care of.
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
        try await services.journal.endFriends(of: turn)
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
          if await conversation.waitsForPrompt {
            watch(title, .trouble(Self.waitingForPrompt))
          } else if await conversation.isInterrupted {
            watch(title, .trouble(Self.waiting))
          }
          if let givenUp = await conversation.takeGivenUp() { watch(title, .trouble(givenUp)) }
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
    await (try? opening[name]?.value)?.cancel()
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

  /// Returns the open conversations, and those at rest that somebody still has, sorted by name.
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
      // First, because afterwards perhaps nobody waits any more.
      for (_, conversation) in known { await conversation.takeBackCores() }
      for (_, conversation) in known { await conversation.tell(of: wait) }
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

  /// A conversation that lives only as long as somebody else holds it.
  private struct Resting {
    weak var conversation: Conversation?
  }
}
