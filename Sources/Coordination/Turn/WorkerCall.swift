import Journal
import Wire

/// A request of a worker, to be answered.
struct WorkerCall: Sendable, Hashable {
  let run: RunID
  let id: Int
  let agent: String
}

/// A request to pass the baton.
struct Pass: Sendable {
  let call: WorkerCall
  let callID: String
  let to: String
  var from: String { call.agent }
}

/// A request to phone a friend.
struct FriendRequest: Sendable {
  let call: WorkerCall
  let question: FriendQuestion
}

/// A friend whose prompt is on disk.
struct BegunFriend: Sendable {
  let conversation: ConversationRecord
  let turn: TurnRecord
  /// The facts of its turn so far.
  let facts: [Fact]
  /// The part of the turn's budget that it has.
  let share: Budget
}
