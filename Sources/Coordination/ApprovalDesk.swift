package import Journal

/// The calls that wait for a person, across all conversations.
///
/// A question is on disk before anybody sees it, and its answer before anything follows from it.
/// Each question gets exactly one answer: a person's, or the coordinator's own when none comes.
package actor ApprovalDesk {
  /// What a person is asked.
  struct Question: Sendable {
    let conversation: Int64
    let turn: Int64
    let agent: String
    let callID: String
    let tool: String
    let arguments: String
    /// How long a person may take; `nil` when nobody is present.
    let patience: Duration?
  }

  private struct Waiting {
    let record: ApprovalRecord
    let continuation: CheckedContinuation<ApprovalRecord, any Error>
  }

  private let journal: Journal
  private var waiting: [Int64: Waiting] = [:]
  /// The turns that ask: the number of questions of each, and whether the turn is over.
  private var asking: [Int64: (count: Int, isOver: Bool)] = [:]
  private static let overDenial = "The turn ended before anyone answered."

  init(journal: Journal) {
    self.journal = journal
  }

  /// The questions that wait for an answer, oldest first.
  package var pending: [ApprovalRecord] {
    waiting.values.map(\.record).sorted { $0.id < $1.id }
  }

  /// Asks a question and waits for its answer.
  /// - Parameters:
  ///   - isWanted: Whether the turn is still going on.
  ///   - show: Shows the question to everybody who could answer it.
  func ask(
    _ question: Question,
    isWanted: @Sendable () async -> Bool,
    show: @Sendable (ApprovalRecord) -> Void
  ) async throws -> ApprovalRecord {
    asking[question.turn, default: (0, false)].count += 1
    defer { endAsking(of: question.turn) }
    let record = try await journal.beginApproval(
      conversation: question.conversation,
      turn: question.turn,
      agent: question.agent,
      callID: question.callID,
      tool: question.tool,
      arguments: question.arguments
    )
    // The actor was suspended: a question of a finished turn must not be shown or answered.
    let isStillWanted = await isWanted()
    guard isStillWanted, asking[question.turn]?.isOver == false else {
      return try await close(record, denial: Self.overDenial, .nobody)
    }
    guard let patience = question.patience else {
      show(record)
      return try await close(record, denial: "No one is available to approve it.", .coordinator)
    }
    // The timer ends with the answer: either the answer cancels it, or it provides the answer.
    let timer = Task {
      // While the machine sleeps, nobody can answer, and the turn's own seconds stand still.
      guard (try? await Task.sleep(for: patience, clock: .suspending)) != nil else { return }
      let denial = "No one answered within \(patience.components.seconds) s."
      _ = try? await self.answer(record.id, denial: denial, by: .coordinator)
    }
    defer { timer.cancel() }
    return try await withCheckedThrowingContinuation { continuation in
      waiting[record.id] = Waiting(record: record, continuation: continuation)
      show(record)
    }
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
    // Removed at once, so that nobody else answers it too.
    guard let place = waiting.removeValue(forKey: id) else {
      throw ApprovalError(id: id, known: try await JournalReader(journal).approval(id))
    }
    do {
      let answered = try await close(place.record, denial: denial, answerer)
      place.continuation.resume(returning: answered)
      return answered
    } catch {
      place.continuation.resume(throwing: error)
      throw error
    }
  }

  /// Denies the open questions of a turn that is over.
  func withdraw(turn: Int64) async {
    asking[turn]?.isOver = true
    for (id, place) in waiting where place.record.turn == turn {
      _ = try? await answer(id, denial: Self.overDenial, by: .nobody)
    }
  }

  private func endAsking(of turn: Int64) {
    guard let (count, isOver) = asking[turn] else { return }
    asking[turn] = count > 1 ? (count - 1, isOver) : nil
  }

  private func close(
    _ record: ApprovalRecord,
    denial: String?,
    _ answerer: ApprovalRecord.Answerer
  ) async throws -> ApprovalRecord {
    var answered = record
    answered.answer = try await journal.endApproval(record.id, denial: denial, by: answerer)
    return answered
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
