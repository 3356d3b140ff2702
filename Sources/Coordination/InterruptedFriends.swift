import Foundation
import Journal
import Transcripts
import Wire

/// What a friend, and those that it phoned, used of the friend's budget.
struct Spending: Sendable {
  let rounds: Int
  let calls: Int
  /// The figures of all requests together.
  let figures: RequestFigures
  var tokens: Int { figures.tokensOut }

  /// - Parameter isOver: Whether the friend has come to an end; one that is asked again has cost
  ///   nothing but what it used.
  init(of given: Budget, _ replay: TurnReplay, isOver: Bool) {
    // Measured as it would be given back: no more can be missing than there was.
    rounds =
      isOver
      ? Budget.rounds(spentOf: given, leaving: replay.budget)
      : given.rounds - max(0, replay.budget.rounds)
    calls = given.calls - replay.budget.calls
    figures = replay.figures
  }
}

/// A friend phoned under an earlier coordinator, as journaled.
struct JournaledFriend: Sendable {
  /// The question that it was asked; `nil` when its conversation does not begin as a friend's.
  let question: FriendQuestion?
  /// The place of its first entry in the whole journal.
  let began: Int64
  /// When it, or a friend that it phoned, had its last entry journaled.
  let lastEntry: Date?
  let spending: Spending
  /// How its turn ends if its last entry is its answer; otherwise `nil`.
  let exitOfAnswer: TurnExit?
  /// Its answer; `nil` if it can be asked again, having done nothing when its coordinator ended.
  let answer: FriendAnswer?
  /// Whether it can be asked again and was waiting for a person.
  let waitsForPerson: Bool

  init(_ record: ConversationRecord, _ reader: JournalReader) async throws {
    let entries = try await reader.entries(of: record.id)
    let turn = try await reader.turns(of: record.id).last
    let given = turn?.caps.flatMap(Budget.init(journaled:)) ?? .unbounded
    var (usages, friends): ([UsageRecord], [JournaledFriend]) = ([], [])
    if let turn {
      usages = try await reader.usages(of: turn.id)
      friends = try await reader.journaledFriends(of: turn.id)
    }
    let replay = TurnReplay(
      entries,
      budget: given,
      beginner: record.holder,
      contexts: try await reader.contexts(of: record.id),
      usages: usages,
      friends: friends
    )
    question = record.question(entries.first?.entry)
    began = entries.first?.id ?? 0
    lastEntry = ([entries.last?.at] + friends.map(\.lastEntry)).compactMap(\.self).max()
    exitOfAnswer = replay.hasAnswer ? replay.exitOfAnswer : nil
    var undecided: Set<String> = []
    if let turn {
      undecided = Decisions(try await reader.approvals(of: turn.id), on: replay).undecided
    }
    let hasActed = replay.hasActed(undecided: undecided)
    answer = turn.flatMap { Self.answer($0, entries, replay, hasActed: hasActed) }
    spending = Spending(of: given, replay, isOver: answer != nil)
    waitsForPerson = answer == nil && !undecided.isEmpty
  }

  private static func answer(
    _ turn: TurnRecord,
    _ entries: [EntryRecord],
    _ replay: TurnReplay,
    hasActed: Bool
  ) -> FriendAnswer? {
    if let text = entries.compactMap(\.answer).last {
      if !turn.isReverted {
        return FriendAnswer(text, exit: turn.exit ?? replay.exitOfAnswer, replay.figures)
      }
      // Its coordinator was told to stop when only the end was missing; nobody took it back.
      if turn.exit == .cancelled, replay.hasAnswer {
        return FriendAnswer(text, exit: replay.exitOfAnswer, replay.figures)
      }
    }
    // A turn is cancelled when its coordinator is told to stop.
    let wasLeft = turn.exit == .coordinatorEnded || turn.exit == .cancelled
    if wasLeft, !hasActed { return nil }
    return FriendAnswer(nil, exit: turn.exit ?? .failed("It did not finish."), replay.figures)
  }
}

extension ConversationRecord {
  /// Returns what a friend was asked; `nil` if the conversation is not a friend's.
  fileprivate func question(_ first: Transcript.Entry?) -> FriendQuestion? {
    guard let parent, case .prompt(let prompt)? = first else { return nil }
    return FriendQuestion(
      callID: parent.callID,
      friend: holder,
      prompt: prompt.segments.joinedText
    )
  }
}

extension TurnExit {
  /// The exit of a friend's interrupted turn, which nobody continues: its caller decides.
  ///
  /// It is known by its words, which are in journals.
  fileprivate static let coordinatorEnded = TurnExit.failed(
    "The coordinator ended during the turn. What its tools did until then stands."
  )
}

extension JournalReader {
  /// Returns the friends phoned in a turn, in the order in which they began.
  func journaledFriends(of turn: Int64) async throws -> [JournaledFriend] {
    var journaled: [JournaledFriend] = []
    for friend in try await friends(of: turn) {
      journaled.append(try await JournaledFriend(friend, self))
    }
    return journaled
  }
}

extension Journal {
  /// Ends the turns of the friends that a turn had on the phone when its coordinator ended.
  func endFriends(of turn: Int64) async throws {
    let reader = JournalReader(self)
    for friend in try await reader.friends(of: turn) {
      for turn in try await reader.turns(of: friend.id) where turn.exit == nil {
        try await endFriends(of: turn.id)
        if let exit = try await JournaledFriend(friend, reader).exitOfAnswer {
          try await endTurn(turn.id, exit: exit, revertingTo: nil)
        } else {
          try await endTurn(turn.id, exit: .coordinatorEnded, revertingTo: friend.holder)
        }
      }
    }
  }
}
