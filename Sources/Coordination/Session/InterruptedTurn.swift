import Foundation
import Journal
import Transcripts

/// A turn during which an earlier coordinator ended.
struct InterruptedTurn: Sendable {
  /// How often a turn is resumed before it is ended.
  static let maximumResumptions = 3

  let id: Int64
  /// Whether it comes from a file.
  let isImported: Bool
  /// What its facts come to.
  private(set) var state: TurnState
  let prompt: String
  private let seconds: Int
  /// The seconds that the turn has taken, as far as the journal shows.
  let spent: Double
  /// Whether a phoned friend can go on only when a person is present.
  private let hasWaitingFriend: Bool
  /// A call of its own or of a friend's that may still be running.
  let distantCall: DistantCall?

  /// Reads an interrupted turn from the journal, after its friends have been ended.
  init(
    _ record: TurnRecord,
    of conversation: Int64,
    from past: ConversationPast,
    friends: FriendRecovery.Result,
    _ reader: JournalReader
  ) async throws {
    (id, isImported) = (record.id, record.isImported)
    let caps = Caps(journaled: record.caps) ?? Caps()
    let facts = try await reader.facts(of: conversation, turn: record.id)
    state = past.turn(record.id, budget: Budget(caps))
    prompt = facts.lazy.compactMap(\.prompt).first ?? ""
    seconds = caps.seconds
    let begun = record.resumed ?? record.started
    // The time that the client took does not count. It is part of what was taken only between signs:
    // after the last of them, no time counts anyway.
    var (waited, last) = (0.0, begun)
    for fact in facts {
      if fact.event.isSign {
        if state.waitsForClient { waited += max(0, fact.at.timeIntervalSince(last)) }
        last = max(begun, fact.at)
      }
      state.apply(fact)
    }
    // While a friend is answering, only its own facts show how time passes.
    let lastSign = max(facts.last { $0.event.isSign }?.at ?? begun, friends.lastSign ?? begun)
    let taken = max(0, lastSign.timeIntervalSince(begun) - waited)
    spent = min(record.spent + taken, Double(caps.seconds))
    hasWaitingFriend = friends.waitsForPerson
    let own = try await reader.distantCall(of: state.round, in: conversation)
    distantCall = [own, friends.distantCall].compactMap(\.self).latest
  }

  /// Whether it goes on only when something is asked in its session.
  ///
  /// Either a person was asked about a call, or about a friend's, and had not decided; or the client
  /// is to perform calls; or the turn was imported, and nothing here has asked for it.
  var waitsForPerson: Bool {
    isImported || state.waitsForClient || state.round?.hasUndecided ?? false || hasWaitingFriend
  }

  /// What is left of its seconds.
  ///
  /// Never next to nothing: a machine that slept in the middle has spent them as well.
  var secondsLeft: Int { max(min(10, seconds), seconds - Int(spent)) }
}

extension InterruptedTurn {
  /// Notes facts that are written while it is interrupted.
  mutating func apply(_ facts: [Fact]) {
    for fact in facts { state.apply(fact) }
  }
}

extension Fact {
  /// The text of the prompt.
  var prompt: String? {
    guard case .prompted(let entry, _, _, _) = event, case .prompt(let prompt) = entry.entry else {
      return nil
    }
    return prompt.segments.joinedText
  }
}

extension Fact.Event {
  /// Whether it shows that the turn was going on, unlike what a later coordinator wrote.
  fileprivate var isSign: Bool {
    switch self {
    case .answeredApproval(_, let decision): decision.by != .unanswered
    case .friendEnded, .imported, .resumed, .leftOpen: false
    default: true
    }
  }
}
