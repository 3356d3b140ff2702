import Foundation
package import Journal

/// The calls that wait for a person, across all conversations.
///
/// A question is on disk before it is shown, and its answer before anything follows from it. Each
/// question gets exactly one answer: a person's, or the coordinator's own when none comes.
package actor ApprovalBroker {
  /// Records a decision; returns the question with its answer, or `nil` if its turn no longer
  /// waits.
  typealias Record = @Sendable (ApprovalDecision) async -> ApprovalRecord?

  private struct Waiting {
    let question: ApprovalRecord
    let record: Record
    let timer: Task<Void, Never>
  }

  private let journal: Journal
  private var waiting: [Int64: Waiting] = [:]

  init(journal: Journal) {
    self.journal = journal
  }

  /// The questions that wait for an answer, oldest first.
  package var pending: [ApprovalRecord] {
    waiting.values.map(\.question).sorted { $0.id < $1.id }
  }

  /// Lets a person answer a question.
  /// - Parameter patience: How long a person may take.
  func ask(_ question: ApprovalRecord, patience: Duration, record: @escaping Record) {
    // The timer ends with the answer: either the answer cancels it, or it provides the answer.
    let timer = Task {
      // While the machine sleeps, no person can answer, and the turn's own seconds stand still.
      guard (try? await Task.sleep(for: patience, clock: .suspending)) != nil else { return }
      let denial = "No one answered within \(patience.components.seconds) s."
      _ = try? await self.answer(question.id, denial: denial, by: .coordinator)
    }
    waiting[question.id] = Waiting(question: question, record: record, timer: timer)
  }

  /// Answers a waiting question.
  /// - Parameter denial: Why the call is denied; `nil` approves it.
  /// - Throws: `ApprovalError` when the question is not waiting, or the journal's error.
  @discardableResult
  package func answer(
    _ id: Int64,
    denial: String?,
    by answerer: ApprovalRecord.Answerer
  ) async throws -> ApprovalRecord {
    let denial = denial.map { $0.allSatisfy(\.isWhitespace) ? ApprovalRecord.plainDenial : $0 }
    // Removed at once, so that it is not answered twice.
    if let question = waiting.removeValue(forKey: id) {
      if answerer != .coordinator { question.timer.cancel() }
      let decision = ApprovalDecision(denial: denial, by: answerer)
      if let answered = await question.record(decision) { return answered }
    }
    throw ApprovalError(id: id, known: try await JournalReader(journal).approval(id))
  }

  /// Forgets the open questions of a turn that is over.
  func withdraw(turn: Int64) {
    for (id, question) in waiting where question.question.turn == turn {
      question.timer.cancel()
      waiting[id] = nil
    }
  }
}

/// The error for answering a question that is not waiting.
package struct ApprovalError: Error, Sendable, Equatable {
  package let id: Int64
  /// The question, if it ever existed.
  package let known: ApprovalRecord?
}

extension ApprovalError: CustomStringConvertible {
  package var description: String {
    guard let known else { return "There is no approval request with the number \(id)." }
    guard let answer = known.answer else { return "Request \(id) is already being answered." }
    let what = answer.denial.map { "denied: \($0)" } ?? "approved."
    return "Request \(id), for \(known.tool), was already answered; the call was \(what)"
  }
}

extension ApprovalRecord {
  func answered(_ decision: ApprovalDecision, at time: Date) -> ApprovalRecord {
    var record = self
    record.answer = Answer(decision, at: time)
    return record
  }

  /// The question once its turn is over.
  func overtaken() -> ApprovalRecord {
    answered(ApprovalDecision(denial: Self.overDenial, by: .unanswered), at: Date())
  }
}
