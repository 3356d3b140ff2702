import Foundation
import GRDB
package import Transcripts

// What is read from the log itself.

extension JournalReader {
  /// Returns what happened in a conversation, or in one of its turns, in order.
  /// - Throws: `JournalError`.
  package func facts(of conversation: Int64, turn: Int64? = nil) async throws -> [Fact] {
    let sql = """
      SELECT * FROM fact WHERE \(turn == nil ? "" : "turn = ? AND") conversation = ? ORDER BY id
      """
    let arguments = StatementArguments([turn, conversation].compactMap(\.self))
    return try await all(sql, arguments) { try Fact($0) }
  }

  /// Returns what happened after a place in the log, in order.
  /// - Parameters:
  ///   - id: The place; 0 for the beginning.
  ///   - limit: The maximum number of facts.
  /// - Throws: `JournalError`.
  package func facts(after id: Int64, limit: Int) async throws -> [Fact] {
    let sql = "SELECT * FROM fact WHERE id > ? ORDER BY id LIMIT ?"
    return try await all(sql, [id, limit]) { try Fact($0) }
  }

  /// Returns what happened in a session and its friends after a place in the log, in order.
  /// - Returns: At most as many as the limit, and as one answer may hold; none at the end.
  /// - Throws: `JournalError`, `SessionError`.
  package func facts(
    ofSession name: String,
    after id: Int64,
    limit: Int
  ) async throws -> [Fact] {
    try await rows(ofSession: name, after: id, limit: limit).map { try $0.content }
  }

  /// Returns the last place in the log; 0 if it is empty.
  package func lastPlace() async throws -> Int64 {
    try await read { try Int64.fetchOne($0, sql: "SELECT MAX(id) FROM fact") ?? 0 }
  }

  // MARK: Records

  package func entries(of conversation: Int64) async throws -> [EntryRecord] {
    try await records(Fact.Event.Kind.entries, in: .conversation(conversation)) { fact, _ in
      EntryRecord(fact)
    }
  }

  package func batons(of turn: Int64) async throws -> [BatonPass] {
    try await records([.passedBaton], in: .turn(turn)) { fact, _ in
      if case .passedBaton(let pass) = fact.event { pass } else { nil }
    }
  }

  /// Returns the workers that died in the turns of a conversation, in order.
  package func deaths(of conversation: Int64) async throws -> [DeathRecord] {
    try await records([.died], in: .conversation(conversation)) { DeathRecord($0, after: $1) }
  }

  /// Returns what a person was asked in a turn, in order.
  ///
  /// A question without an answer in a turn that has ended was denied by its end.
  package func approvals(of turn: Int64) async throws -> [ApprovalRecord] {
    var questions: [ApprovalRecord] = []
    let kinds: Set<Fact.Event.Kind> = [.askedApproval, .answeredApproval, .ended]
    for (fact, place) in try await records(kinds, in: .turn(turn), { ($0, $1) }) {
      switch fact.event {
      case .answeredApproval(let question, let decision):
        // Nothing is decided twice.
        guard let index = questions.firstIndex(where: { $0.id == question && $0.answer == nil })
        else { continue }
        questions[index].answer = .init(decision, at: fact.at)
      case .ended:
        for index in questions.indices where questions[index].answer == nil {
          let denial = ApprovalRecord.overDenial
          questions[index].answer = .init(at: fact.at, denial: denial, by: .unanswered)
        }
      default:
        if let question = ApprovalRecord(fact, afterEntry: place) { questions.append(question) }
      }
    }
    return questions
  }

  /// Returns the question at a place in the log; `nil` when there is none.
  package func approval(_ id: Int64) async throws -> ApprovalRecord? {
    let turns = try await all("SELECT turn FROM fact WHERE id = ?", [id]) { row in
      try row.value("turn") as Int64?
    }
    guard let turn = turns.first ?? nil else { return nil }
    return try await approvals(of: turn).first { $0.id == id }
  }

  // MARK: Shared state

  /// Returns the current session properties of a conversation, as JSON by name.
  ///
  /// Taking a turn back does not revert them: a property may represent what a tool did outside.
  package func properties(of conversation: Int64) async throws -> [String: String] {
    try await stateChanges(of: conversation).reduce(into: [:]) { properties, record in
      properties.merge(record.change.properties) { $1 }
    }
  }

  /// Returns what agents have written to the state that they share, in order.
  package func stateChanges(of conversation: Int64) async throws -> [StateRecord] {
    try await records([.changedState], in: .conversation(conversation)) {
      StateRecord($0, after: $1)
    }
  }

  /// Returns what the models see: all entries with all edits, without turns that were taken back.
  /// - Parameter turn: A turn to leave out as well.
  /// - Throws: `HistoryEdit.Misfit` when the journal was changed by others.
  package func history(
    of conversation: Int64,
    without turn: Int64? = nil
  ) async throws -> ChunkedArray<RawEntry> {
    let isLeftOut = { (record: TurnRecord) in record.isReverted || record.id == turn }
    let leftOut = Set(try await turns(of: conversation).filter(isLeftOut).map(\.id))
    let kinds = Fact.Event.Kind.entries.union([.changedState])
    let facts = try await records(kinds, in: .conversation(conversation)) { fact, _ in fact }
    return try facts.reduce(into: []) { history, fact in
      if let turn = fact.turn, leftOut.contains(turn) { return }
      switch fact.event {
      case .prompted(let entry, _, _, _), .recorded(let entry, _), .importedEntry(let entry):
        history.append(entry)
      case .changedState(let change):
        if let edit = change.history { history = try edit.applied(to: history) }
      default: break
      }
    }
  }

  // MARK: Reading

  /// Where facts are looked for.
  private enum Scope {
    case conversation(Int64)
    case turn(Int64)
  }

  /// Reads facts of some kinds, in order.
  /// - Parameter record: Makes a record of a fact and the last entry before it.
  private func records<Record: Sendable>(
    _ kinds: Set<Fact.Event.Kind>,
    in scope: Scope,
    _ record: @escaping @Sendable (Fact, Int64) throws -> Record?
  ) async throws -> [Record] {
    try await read { db in
      let (column, id) =
        switch scope {
        case .conversation(let id): ("conversation", id)
        case .turn(let id): ("turn", id)
        }
      // Not only of these kinds: on a lost page, a kind may be unreadable, and must not be overlooked.
      let sql = "SELECT * FROM fact WHERE \(column) = ? ORDER BY id"
      let rows = try Row.fetchCursor(db, sql: sql, arguments: [id])
      var records: [Record] = []
      var lastEntry: Int64 = 0
      while let row = try rows.next() {
        let kind = try Fact.Event.Kind(row)
        if kinds.contains(kind), let found = try record(Fact(row), lastEntry) {
          records.append(found)
        }
        if Fact.Event.Kind.entries.contains(kind) { lastEntry = try row.value("id") }
      }
      return records
    }
  }

  /// Returns the facts of which a conversation's transcript is made, in order.
  /// - Throws: `JournalError`.
  package func transcriptFacts(
    of conversation: Int64,
    turn: Int64? = nil
  ) async throws -> [Fact] {
    let kinds = Fact.Event.Kind.entries.union([
      .returnedEarly, .passedBaton, .phoned, .askedApproval,
    ])
    let scope = turn.map(Scope.turn) ?? .conversation(conversation)
    return try await records(kinds, in: scope) { fact, _ in fact }
  }

  /// Returns the facts of some kinds of a turn, in order.
  func facts(ofTurn turn: Int64, _ kinds: Set<Fact.Event.Kind>) async throws -> [Fact] {
    try await records(kinds, in: .turn(turn)) { fact, _ in fact }
  }
}
