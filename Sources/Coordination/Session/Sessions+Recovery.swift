import Journal
import Transcripts

extension Sessions {
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
        let session = try await self.session(named: title)
        guard await session.canResumeAlone else {
          if await session.waitsForClient {
            watch(title, .trouble(Self.waitingForClient))
          } else if await session.waitsForPrompt {
            watch(title, .trouble(Self.waitingForPrompt))
          } else if await session.isInterrupted {
            watch(title, .trouble(Self.waiting))
          }
          if let abandoned = await session.takeAbandoned() {
            watch(title, .trouble(abandoned))
          }
          continue
        }
        _ = try await session.resume(isAttended: isAttended) { watch(title, $0) }
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

  /// Deals with turns without an end, during which a coordinator ended.
  ///
  /// The next prompt finishes such a turn first, unless the turn itself seems to end coordinators.
  static func recover(
    _ record: ConversationRecord,
    _ services: ConversationServices,
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
}
