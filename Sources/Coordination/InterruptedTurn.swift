import Foundation
import Journal
import Transcripts

/// A turn during which an earlier coordinator ended, as journaled.
struct InterruptedTurn: Sendable {
  /// How often a turn is resumed before it is ended.
  static let maximumResumptions = 3

  let record: TurnRecord
  let prompt: String
  let holderBefore: String
  let caps: Caps
  /// The seconds that the turn has taken, as far as the journal shows.
  let spent: Double
  /// What the agents see, including what this turn added.
  let history: [Transcript.Entry]
  private let replay: TurnReplay
  /// What friends have answered for open calls, in the order in which they were phoned.
  private let friends: [FriendQuestion: [FriendAnswer]]
  private let decisions: Decisions
  private let early: [EarlyOutputRecord]
  /// Whether a phoned friend can go on only when a person is present.
  private let hasWaitingFriend: Bool

  /// Reads an interrupted turn from the journal.
  /// - Parameters:
  ///   - record: The turn, without an exit.
  ///   - conversation: The conversation that the turn belongs to.
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
    let phoned = try await reader.journaledFriends(of: record.id)
    // While a friend is on the phone, only its own entries show how time passes.
    let lastSign = ([entries.last?.at] + phoned.map(\.lastEntry)).compactMap(\.self).max()
    let life = max(0, (lastSign ?? begun).timeIntervalSince(begun))
    spent = min(record.spent + life, Double(caps.seconds))
    let replay = TurnReplay(
      entries,
      budget: Budget(caps),
      beginner: holderBefore,
      contexts: try await reader.contexts(of: conversation.id).filter { $0.turn == record.id },
      usages: try await reader.usages(of: record.id),
      friends: phoned
    )
    self.replay = replay
    // Answers belong only to calls that are still open: a model may choose the identities of calls,
    // and use one twice.
    let open = Set(replay.round?.calls ?? [])
    var friends: [FriendQuestion: [FriendAnswer]] = [:]
    var hasWaitingFriend = false
    for friend in phoned where friend.began > replay.lastCalls?.id ?? 0 {
      guard let question = friend.question, open.contains(question.callID) else { continue }
      if let answer = friend.answer { friends[question, default: []].append(answer) }
      if friend.waitsForPerson { hasWaitingFriend = true }
    }
    self.friends = friends
    self.hasWaitingFriend = hasWaitingFriend
    decisions = Decisions(
      try await reader.approvals(of: record.id),
      on: replay,
      isImported: record.isImported
    )
    early = try await reader.earlyOutputs(of: record.id, since: replay.lastCalls?.id ?? 0)
  }

  /// Whether it goes on only when something is asked in its session.
  ///
  /// Either a person was asked about a call, or about a friend's, and had not decided; or the turn
  /// was imported, and nobody here has asked for it.
  var waitsForPerson: Bool {
    record.isImported || !decisions.undecided.isEmpty || hasWaitingFriend
  }

  /// What is left of its seconds.
  ///
  /// Never next to nothing: a machine that slept in the middle has spent them as well.
  var secondsLeft: Int { max(min(10, caps.seconds), caps.seconds - Int(spent)) }

  /// Returns the turn as it continues here.
  func turn(
    deadline: SuspendingClock.Instant,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    finish: @escaping @Sendable (TurnResult) -> Void
  ) -> ActiveTurn {
    let turn = ActiveTurn(
      id: record.id,
      holderBefore: holderBefore,
      deadline: deadline,
      isAttended: isAttended,
      watch: watch,
      finish: finish,
      budget: replay.budget,
      quota: Quota(Budget(caps)),
      history: history,
      // No worker knows any of it yet.
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
    turn.phoned = KeptAnswers(friends)
    turn.approvals = decisions.approvals.mapValues { answer in
      ApprovalQuestion(asking: Task { answer }, answer: answer)
    }
    return turn
  }
}

extension Caps {
  /// The caps as the journal keeps them for a later coordinator.
  var journaled: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  /// Reads journaled caps; `nil` when this version cannot read them.
  fileprivate init?(journaled text: String) {
    guard let caps = try? JSONDecoder().decode(Caps.self, from: Data(text.utf8)) else { return nil }
    self = caps
  }
}

/// What people had decided about a turn's open calls.
struct Decisions: Sendable {
  private(set) var approvals: [String: Approval] = [:]
  /// The calls about which a person was asked and had not decided.
  private(set) var undecided: Set<String> = []

  /// - Parameter isImported: Whether the turn comes from a file, whose approvals may be anybody's.
  init(_ records: [ApprovalRecord], on replay: TurnReplay, isImported: Bool = false) {
    let open = Set(replay.round?.calls ?? [])
    var decided: Set<String> = []
    for record in records where open.contains(record.callID) && record.isAbout(replay.lastCalls) {
      // What nobody has decided is asked again.
      guard let answer = record.answer, answer.by != .nobody else {
        undecided.insert(record.callID)
        continue
      }
      decided.insert(record.callID)
      if let denial = answer.denial {
        approvals[record.callID] = .denied(denial)
      } else {
        // A call that was approved elsewhere may have run there, so it is not as if it had waited;
        // and where it may run again, a person here is asked first.
        approvals[record.callID] = isImported ? nil : Approval.approved
      }
    }
    undecided.subtract(decided)
  }
}

extension ApprovalRecord {
  /// Whether the question concerns a call of this round, not an earlier one with the same identity.
  fileprivate func isAbout(_ round: EntryRecord?) -> Bool {
    guard let round, case .toolCalls(let calls) = round.entry,
      calls.contains(where: { call in
        call.id == callID && call.toolName == tool && call.arguments.jsonString == arguments
      })
    else { return false }
    // Older versions journaled no place, so only the clock tells when the question was asked.
    return afterEntry.map { $0 >= round.id } ?? (asked >= round.at)
  }
}

extension Transcript.Entry {
  fileprivate var promptText: String? {
    if case .prompt(let prompt) = self { prompt.segments.joinedText } else { nil }
  }
}
