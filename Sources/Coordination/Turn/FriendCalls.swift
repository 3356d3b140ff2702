import Journal
import Transcripts

/// A question to a friend, and the call that it belongs to.
struct FriendQuestion: Sendable, Hashable {
  let callID: String
  let friend: String
  let prompt: String
}

/// The friends that a turn has phoned for calls that are open.
///
/// A worker that replaces another asks again and gets the same answers in the same order, so that
/// no friend is phoned twice for one question. A worker that has an answer and asks the same again
/// has a new question: a tool may have changed something since.
struct FriendCalls: Sendable, Equatable {
  struct Call: Sendable, Equatable {
    /// The friend's conversation.
    let conversation: Int64
    let question: FriendQuestion
    /// The part of the turn's budget that the friend was given.
    let share: Budget
    /// `nil` while the friend is answering.
    var answer: FriendAnswer?
    /// Whether the call that phoned has its output.
    var isClosed = false
  }

  private var calls: [Call] = []

  /// Returns what became of a question that is asked for the nth time, counted from zero; `nil` for
  /// a new one.
  func call(_ question: FriendQuestion, number: Int) -> Call? {
    let asked = calls.filter { $0.question == question && !$0.isClosed }
    return asked.indices.contains(number) ? asked[number] : nil
  }

  mutating func begin(_ call: FriendCall, share: Budget) {
    let question = FriendQuestion(
      callID: call.callID,
      friend: call.friend,
      prompt: call.prompt
    )
    calls.append(Call(conversation: call.conversation, question: question, share: share))
  }

  /// Ends a friend; one without an answer can be asked again.
  /// - Returns: The part of the budget that it was given.
  mutating func end(_ conversation: Int64, answer: FriendAnswer?) -> Budget? {
    guard let index = calls.firstIndex(where: { $0.conversation == conversation }) else {
      return nil
    }
    let call = calls[index]
    if answer == nil || call.isClosed {
      calls.remove(at: index)
    } else {
      calls[index].answer = answer
    }
    return call.share
  }

  /// Closes a call that has its output: the same question from a later call is a new one.
  mutating func close(callID: String) {
    calls.removeAll { $0.question.callID == callID && $0.answer != nil }
    for index in calls.indices where calls[index].question.callID == callID {
      calls[index].isClosed = true
    }
  }
}
