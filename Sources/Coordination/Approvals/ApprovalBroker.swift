import Foundation
package import Journal
import Transcripts

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
  /// - Parameters:
  ///   - denial: Why the call is denied; `nil` approves it.
  ///   - content: The answer to a form, as a JSON object; `nil` for one without anything.
  ///   - isCancelled: Whether a form is closed without an answer.
  /// - Throws: `ApprovalError` when the question is not waiting or the content is no answer to it, or
  ///   the journal's error.
  @discardableResult
  package func answer(
    _ id: Int64,
    denial: String?,
    content: String? = nil,
    isCancelled: Bool = false,
    by answerer: ApprovalRecord.Answerer
  ) async throws -> ApprovalRecord {
    let given = isCancelled ? ApprovalRecord.cancellation : denial
    let denial = given.map { $0.allSatisfy(\.isWhitespace) ? ApprovalRecord.plainDenial : $0 }
    if denial == nil || isCancelled, let question = waiting[id]?.question,
      let problem = isCancelled
        ? question.problemWithCancellation : question.problem(with: content)
    {
      throw ApprovalError(id: id, known: question, problem: problem)
    }
    // Removed at once, so that it is not answered twice.
    if let question = waiting.removeValue(forKey: id) {
      if answerer != .coordinator { question.timer.cancel() }
      let content = denial == nil && question.question.form != nil ? content ?? "{}" : nil
      let decision = ApprovalDecision(
        denial: denial,
        content: content,
        isCancelled: isCancelled,
        by: answerer
      )
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

/// The error for answering a question that is not waiting, or not as it asks.
package struct ApprovalError: Error, Sendable, Equatable {
  package let id: Int64
  /// The question, if it ever existed.
  package let known: ApprovalRecord?
  /// Why the content is no answer to the question, which still waits.
  package var problem: String?
}

extension ApprovalError: CustomStringConvertible {
  package var description: String {
    if let problem { return "Request \(id) still waits: \(problem)" }
    guard let known else { return "There is no approval request with the number \(id)." }
    guard let answer = known.answer else { return "Request \(id) is already being answered." }
    let what = answer.denial.map { "denied: \($0)" } ?? "approved."
    return "Request \(id), for \(known.tool), was already answered; the call was \(what)"
  }
}

extension ApprovalRecord {
  /// Why an answer does not fit the question; `nil` if it does.
  func problem(with content: String?) -> String? {
    guard let form else {
      return content == nil ? nil : "it asks whether a call may be made, and for nothing else."
    }
    guard let value = try? GeneratedContent(json: content ?? "{}"), value.isComplete,
      case .structure = value.kind
    else { return "the answer is not a JSON object." }
    return form.schema.violation(by: value).map { "the answer does not fit: \($0)" }
  }

  /// Why the question cannot be closed without an answer; `nil` if it can.
  fileprivate var problemWithCancellation: String? {
    form == nil ? "it asks whether a call may be made: approve or deny it." : nil
  }

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
