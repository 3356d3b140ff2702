import Transcripts
import Wire

/// A question to a friend, and the call that it belongs to.
///
/// A tool may ask several questions in one call, one after another.
struct FriendQuestion: Sendable, Hashable {
  let callID: String
  let friend: String
  let prompt: String
}

/// The answers of friends, for as long as the calls that asked for them are open.
///
/// A worker that replaces another asks again and gets the same answers in the same order, so that
/// no friend is phoned twice for one question. A worker that has an answer and asks the same again
/// has a new question: a tool may have changed something since, and want to know what the friend
/// says now.
struct KeptAnswers: Sendable {
  private struct Kept: Sendable {
    let answer: Task<FriendAnswer, Never>
    /// The workers that were sent the answer.
    var listeners: Set<RunID> = []
  }

  /// The answers to each question, in the order in which it was asked.
  private var kept: [FriendQuestion: [Kept]] = [:]

  /// Creates the answers that are known already; nobody here has heard them.
  init(_ known: [FriendQuestion: [FriendAnswer]] = [:]) {
    // They become tasks that end at once.
    kept = known.mapValues { $0.map { answer in Kept(answer: Task { answer }) } }
  }

  /// Returns the first answer to a question that a worker has not heard; `nil` if there is none.
  func answer(to question: FriendQuestion, for run: RunID) -> Task<FriendAnswer, Never>? {
    kept[question]?.first { !$0.listeners.contains(run) }?.answer
  }

  /// Keeps the answer to a question that is being asked.
  mutating func keep(_ answer: Task<FriendAnswer, Never>, to question: FriendQuestion) {
    kept[question, default: []].append(Kept(answer: answer))
  }

  /// Records that a worker was sent an answer.
  ///
  /// The call may be over by now, and its answers forgotten.
  mutating func note(
    _ answer: Task<FriendAnswer, Never>,
    to question: FriendQuestion,
    heardBy run: RunID
  ) {
    guard let index = kept[question]?.firstIndex(where: { $0.answer == answer }) else { return }
    kept[question]?[index].listeners.insert(run)
  }

  /// Forgets the answers for a call that has its output.
  mutating func forget(callID: String) {
    kept = kept.filter { $0.key.callID != callID }
  }
}
