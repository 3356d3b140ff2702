import AgentKit
import Foundation
import Journal

/// A turn in which an earlier coordinator ended, as the journal has it.
struct InterruptedTurn: Sendable {
  /// How often a turn is taken up again before it is ended.
  static let maximumResumptions = 3

  let record: TurnRecord
  let prompt: String
  let holderBefore: String
  let caps: Caps
  /// The seconds that it has taken, as far as the journal can tell.
  let spent: Double
  /// What the agents see, with what this turn has made of it.
  let history: [Transcript.Entry]
  private let replay: TurnReplay
  private let friends: [FriendQuestion: FriendAnswer]
  private let decisions: Decisions
  private let early: [EarlyOutputRecord]
  /// Whether a friend had been phoned that goes on only when a person is there.
  private let hasWaitingFriend: Bool

  /// - Parameters:
  ///   - record: The turn, without an exit.
  ///   - conversation: What the turn is part of.
  init(
    _ record: TurnRecord,
    of conversation: ConversationRecord,
    _ reader: JournalReader
  ) async throws {
    self.record = record
    caps = record.caps.flatMap(Caps.init(journaled:)) ?? Caps()
    holderBefore = try await reader.batons(of: record.id).first?.from ?? conversation.holder
    history = try await reader.history(of: conversation.id)
    let entries = try await reader.entries(of: conversation.id).filter { $0.turn == record.id }
    prompt = entries.first?.entry.promptText ?? ""
    let begun = record.resumed ?? record.started
    let life = max(0, (entries.last?.at ?? begun).timeIntervalSince(begun))
    spent = min(record.spent + life, Double(caps.seconds))
    let phoned = try await reader.journaledFriends(of: record.id)
    let replay = TurnReplay(
      entries,
      budget: Budget(caps),
      beginner: holderBefore,
      contexts: try await reader.contexts(of: conversation.id).filter { $0.turn == record.id },
      friends: phoned
    )
    self.replay = replay
    // What was answered belongs to calls that are open still: an identity may be a model's own word, and
    // come again.
    let open = Set(replay.round?.calls ?? [])
    var friends: [FriendQuestion: FriendAnswer] = [:]
    var hasWaitingFriend = false
    for friend in phoned where friend.began > replay.lastCalls?.id ?? 0 {
      guard let question = friend.question, open.contains(question.callID) else { continue }
      friends[question] = friend.answer
      if friend.waitsForPerson { hasWaitingFriend = true }
    }
    self.friends = friends
    self.hasWaitingFriend = hasWaitingFriend
    decisions = Decisions(try await reader.approvals(of: record.id), on: replay)
    early = try await reader.earlyOutputs(of: record.id, since: replay.lastCalls?.id ?? 0)
  }

  /// Whether a person had been asked about a call, also of a friend, and had not decided.
  var waitsForPerson: Bool { !decisions.undecided.isEmpty || hasWaitingFriend }

  /// What is left of its seconds: one at the least, in which it can say that they are over.
  var secondsLeft: Int { max(1, caps.seconds - Int(spent)) }

  /// The turn as it goes on.
  func turn(
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    finish: @escaping @Sendable (TurnResult) -> Void
  ) -> ActiveTurn {
    var turn = ActiveTurn(
      id: record.id,
      holderBefore: holderBefore,
      deadline: SuspendingClock.now + .seconds(secondsLeft),
      isAttended: isAttended,
      watch: watch,
      finish: finish,
      budget: replay.budget,
      quota: Quota(Budget(caps)),
      history: history,
      // No worker knows anything of it yet.
      unchanged: 0
    )
    turn.isResumed = true
    turn.repetition = replay.repetition
    turn.round = replay.round
    turn.round?.undecided = decisions.undecided
    for record in early { _ = turn.round?.keepEarly(record.output, bytes: record.size) }
    turn.hasAnswer = replay.hasAnswer
    turn.capOfAnswer = replay.capOfAnswer
    turn.answer = replay.answer
    turn.figures = replay.figures
    // What is known already has tasks that end at once.
    turn.phoned = friends.mapValues { answer in Task { answer } }
    turn.approvals = decisions.approvals.mapValues { answer in
      ApprovalQuestion(asking: Task { answer }, answer: answer)
    }
    return turn
  }
}

extension Caps {
  /// The caps as the journal keeps them for another coordinator.
  var journaled: String? {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads what the journal has kept; `nil` when it is none of this version's caps.
  fileprivate init?(journaled text: String) {
    guard let caps = try? JSONDecoder().decode(Caps.self, from: Data(text.utf8)) else { return nil }
    self = caps
  }
}

/// What people had decided about the calls of a turn that are open.
struct Decisions: Sendable {
  private(set) var approvals: [String: Approval] = [:]
  /// The calls about which a person had been asked, and had not decided.
  private(set) var undecided: Set<String> = []

  init(_ records: [ApprovalRecord], on replay: TurnReplay) {
    let open = Set(replay.round?.calls ?? [])
    for record in records where open.contains(record.callID) && record.isAbout(replay.lastCalls) {
      // What nobody has decided is asked again.
      guard let answer = record.answer, answer.by != .nobody else {
        undecided.insert(record.callID)
        continue
      }
      approvals[record.callID] = answer.denial.map { .denied($0) } ?? .approved
    }
    undecided.subtract(approvals.keys)
  }
}

extension ApprovalRecord {
  /// Whether it is about one of the calls of a round, and not about one that was called the same before.
  fileprivate func isAbout(_ round: EntryRecord?) -> Bool {
    guard let round, case .toolCalls(let calls) = round.entry,
      calls.contains(where: { call in
        call.id == callID && call.toolName == tool && call.arguments.jsonString == arguments
      })
    else { return false }
    // Without a place, as an older version has journaled it, only the clock says when it was.
    return afterEntry.map { $0 >= round.id } ?? (asked >= round.at)
  }
}

extension Transcript.Entry {
  fileprivate var promptText: String? {
    if case .prompt(let prompt) = self { prompt.segments.joinedText } else { nil }
  }
}
