import Journal
import Wire

/// A request of a worker that has no reply yet.
struct PendingRequest: Sendable, Hashable {
  let run: RunID
  let id: Int
  let agent: String

  /// The error of a worker that wants something for a call that is not open or not admitted.
  func stray(_ callID: String) -> ConversationError { .strayCall(callID, agent: agent) }
}

/// A request to pass the baton.
struct PassRequest: Sendable {
  let pending: PendingRequest
  let callID: String
  let to: String
  var from: String { pending.agent }
}

/// A request to phone a friend.
struct FriendRequest: Sendable {
  let pending: PendingRequest
  let question: FriendQuestion
}

/// A friend whose prompt is on disk.
struct BegunFriend: Sendable {
  let conversation: ConversationRecord
  let turn: TurnRecord
  /// The facts of its turn so far.
  let facts: [Fact]
  /// The fact of the turn that asks.
  let phoned: Fact
  /// The part of the turn's budget that it has.
  let share: Budget
}
