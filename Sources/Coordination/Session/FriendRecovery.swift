import Foundation
import Journal
import Transcripts

/// Ends the friends that were answering when a turn's coordinator ended.
///
/// A friend is not continued: its caller gets what it had answered, or learns that it did not
/// finish, or asks it again if it had done nothing.
struct FriendRecovery: Sendable {
  let journal: Journal
  private var reader: JournalReader { JournalReader(journal) }

  struct Result: Sendable {
    /// When a friend had its last fact journaled.
    var lastSign: Date?
    /// Whether one that can be asked again was waiting for a person.
    var waitsForPerson = false
    /// A call of a friend's that may still be running.
    var distantCall: DistantCall?
  }

  /// Ends the friends of a turn, and records in the turn what came of them.
  func endFriends(of turn: Int64, in conversation: Int64) async throws -> Result {
    var result = Result()
    let facts = try await reader.facts(of: conversation, turn: turn)
    // What came of friends that have ended, and of those among them since the turn was last taken up:
    // a coordinator that ended them may have ended before it went on.
    var ended: [Int64: FriendEnd] = [:]
    var recent: Set<Int64> = []
    for event in facts.map(\.event) {
      switch event {
      case .friendEnded(let end):
        ended[end.conversation] = end
        recent.insert(end.conversation)
      case .resumed: recent = []
      default: break
      }
    }
    for case .phoned(let call) in facts.map(\.event) {
      let known = ended[call.conversation]
      let isRecent = known == nil || recent.contains(call.conversation)
      guard let friend = try await endFriend(call, known: known, isRecent: isRecent) else {
        continue
      }
      result.lastSign = [result.lastSign, friend.lastSign].compactMap(\.self).max()
      result.waitsForPerson = result.waitsForPerson || friend.waitsForPerson
      result.distantCall = [result.distantCall, friend.distantCall].compactMap(\.self).latest
      if known == nil {
        try await journal.append([.friendEnded(friend.end)], in: conversation, turn: turn)
      }
    }
    return result
  }

  private struct EndedFriend {
    let end: FriendEnd
    let lastSign: Date?
    let waitsForPerson: Bool
    let distantCall: DistantCall?
  }

  /// - Parameters:
  ///   - known: What its caller knows of its end; `nil` if nothing.
  ///   - isRecent: Whether it ended since the turn was last taken up.
  /// - Returns: What came of it; `nil` where it never had a turn.
  private func endFriend(
    _ call: FriendCall,
    known: FriendEnd?,
    isRecent: Bool
  ) async throws -> EndedFriend? {
    let id = call.conversation
    guard let turn = try await reader.turns(of: id).last else { return nil }
    let own = try await endFriends(of: turn.id, in: id)
    let facts = try await reader.facts(of: id, turn: turn.id)
    // No share that this build would give lets the caller keep all of it.
    let share = Budget(journaled: turn.caps) ?? Budget(Caps())
    let past = ConversationPast(holder: call.friend)
    let state = past.turn(turn.id, budget: share).applying(facts)
    let calls = [try await reader.distantCall(of: state.round, in: id), own.distantCall]
    let distantCall = calls.compactMap(\.self).latest
    // A coordinator that ended while it waited for its call has left that to this one.
    if let known, !isRecent, turn.exit != nil {
      return EndedFriend(
        end: known,
        lastSign: nil,
        waitsForPerson: false,
        distantCall: distantCall
      )
    }
    if turn.exit == nil {
      let exit = state.hasAnswer ? state.exitOfAnswer : .coordinatorEnded
      try await journal.append(
        [.ended(exit, revertingTo: state.hasAnswer ? nil : call.friend)],
        in: id,
        turn: turn.id
      )
    }
    let answer = known.map(\.answer) ?? answer(turn, state)
    return EndedFriend(
      end: FriendEnd(
        conversation: id,
        answer: answer,
        usage: state.usage,
        budget: state.budget.journaled
      ),
      lastSign: [facts.last?.at, own.lastSign].compactMap(\.self).max(),
      waitsForPerson: answer == nil
        && (state.round?.hasUndecided ?? false || own.waitsForPerson),
      distantCall: distantCall
    )
  }

  private func answer(_ turn: TurnRecord, _ state: TurnState) -> FriendAnswer? {
    // A turn is cancelled when its coordinator is told to stop; nothing else took an answer back.
    let isStopped = turn.exit == nil || turn.exit == .cancelled || turn.exit == .coordinatorEnded
    if let text = state.answer?.text {
      if !turn.isReverted, let exit = turn.exit {
        return FriendAnswer(text, exit: exit, state.usage)
      }
      if isStopped, state.hasAnswer {
        return FriendAnswer(text, exit: state.exitOfAnswer, state.usage)
      }
    }
    if isStopped, !state.hasActed { return nil }
    return FriendAnswer(nil, exit: turn.exit ?? .coordinatorEnded, state.usage)
  }
}

extension TurnExit {
  /// The exit of a friend's interrupted turn, which is not continued: its caller decides.
  fileprivate static let coordinatorEnded = TurnExit.failed(
    "The coordinator ended during the turn. What its tools did until then stands."
  )
}
