package import Foundation
import GRDB
package import Transcripts

/// A session property that an agent has written.
package struct PropertyRecord: Sendable, Equatable {
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var name: String
  /// The value as JSON.
  package var value: String
}

/// An edit of the history that a conversation's agents share.
///
/// What was said stays in the journal; from here on the models see another history.
package struct HistoryEditRecord: Sendable, Equatable {
  package var id: Int64
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var edit: HistoryEdit
}

/// How an agent's context was made to fit into its window.
package struct ContextRecord: Sendable, Equatable {
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var report: ContextReport
  /// The cost of the summary; `nil` when the model was not asked for one.
  package var request: RequestRecord?
}

extension Journal {
  /// Records an agent's change to its session's shared state: all or nothing.
  /// - Parameter request: The cost of a summary, or of the agent's own requests to models, with the
  ///   worker that made them.
  /// - Returns: The size in the journal, in bytes.
  @discardableResult
  package func keepState(
    properties: [String: String],
    edit: HistoryEdit?,
    context: ContextReport? = nil,
    conversation: Int64,
    turn: Int64,
    agent: String,
    request: (record: RequestRecord, run: String)? = nil
  ) async throws -> Int {
    try await write { db in
      if let request { try Self.add(request.record, to: request.run, in: db) }
      let place = try StatePlace(conversation: conversation, turn: turn, agent: agent, in: db)
      var size = 0
      for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
        size += name.utf8.count + value.utf8.count
        try place.add(to: "property", ["name": name, "value": value], in: db)
      }
      if let edit {
        let payload = try Payload.encode(edit)
        size += payload.utf8.count
        try place.add(to: "historyEdit", ["payload": payload], in: db)
      }
      let cost = try request.map { try Payload.encode($0.record) }
      if let context {
        let payload = try Payload.encode(context)
        try place.add(to: "context", ["payload": payload, "request": cost], in: db)
      } else if let cost {
        try place.add(to: "usage", ["request": cost], in: db)
      }
      return size
    }
  }
}

/// What all tables of the shared state have in common: who changed it, when and where.
private struct StatePlace {
  private let conversation: Int64
  private let turn: Int64
  private let agent: String
  private let at = Date().timeIntervalSince1970
  private let lastEntry: Int64?

  init(conversation: Int64, turn: Int64, agent: String, in db: Database) throws {
    (self.conversation, self.turn, self.agent) = (conversation, turn, agent)
    lastEntry = try Int64.fetchOne(
      db,
      sql: "SELECT MAX(id) FROM entry WHERE conversation = ?",
      arguments: [conversation]
    )
  }

  /// Adds a row with the given columns besides the common ones.
  func add(
    to table: String,
    _ content: KeyValuePairs<String, String?>,
    in db: Database
  ) throws {
    let columns = ["conversation", "turn", "agent", "at", "afterEntry"] + content.map(\.key)
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    var arguments: StatementArguments = [conversation, turn, agent, at, lastEntry]
    for (_, value) in content { arguments += [value] }
    try db.perform(
      sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
      arguments: arguments
    )
  }
}

extension JournalReader {
  /// Returns the current session properties of a conversation, as JSON by name.
  ///
  /// Taking a turn back does not revert them: a property may represent what a tool did outside.
  package func properties(of conversation: Int64) async throws -> [String: String] {
    // Earlier values are not read: they may be large and numerous.
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT name, value FROM property
          WHERE id IN (SELECT MAX(id) FROM property WHERE conversation = ? GROUP BY name)
          ORDER BY id
          """,
        arguments: [conversation]
      )
      // SQLite compares bytes, and a name can be spelled in several ways.
      return try Dictionary(
        rows.map { try ($0.value("name"), $0.value("value")) },
        uniquingKeysWith: { $1 }
      )
    }
  }

  /// Returns everything written to session properties, in order.
  package func propertyRecords(of conversation: Int64) async throws -> [PropertyRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM property WHERE conversation = ? ORDER BY id",
        arguments: [conversation]
      ).map(PropertyRecord.init)
    }
  }

  /// Returns the edits of a conversation's history, in order.
  package func historyEdits(of conversation: Int64) async throws -> [HistoryEditRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM historyEdit WHERE conversation = ? ORDER BY id",
        arguments: [conversation]
      ).map { try HistoryEditRecord($0) }
    }
  }

  /// Returns how contexts of a conversation were made to fit, in order.
  package func contexts(of conversation: Int64) async throws -> [ContextRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM context WHERE conversation = ? ORDER BY id",
        arguments: [conversation]
      ).map { try ContextRecord($0) }
    }
  }

  /// Returns what the models see: all entries with all edits, without turns that were taken back.
  /// - Parameter turn: A turn to leave out as well.
  /// - Throws: `HistoryEdit.Misfit` when the journal was changed by others.
  package func history(
    of conversation: Int64,
    without turn: Int64? = nil
  ) async throws -> [Transcript.Entry] {
    let isLeftOut = { (record: TurnRecord) in record.isReverted || record.id == turn }
    let reverted = Set(try await turns(of: conversation).filter(isLeftOut).map(\.id))
    let entries = try await entries(of: conversation).filter { !reverted.contains($0.turn) }
    let edits = try await historyEdits(of: conversation).filter { !reverted.contains($0.turn) }
    return try entries.history(with: edits) { try $0.edit.applied(to: $1) }
  }
}

extension [EntryRecord] {
  /// Returns what the models see: the entries with the edits applied, in the order of both.
  /// - Parameter apply: Applies an edit to the history before it and returns the one after it.
  func history(
    with edits: [HistoryEditRecord],
    apply: (HistoryEditRecord, [Transcript.Entry]) throws -> [Transcript.Entry]
  ) rethrows -> [Transcript.Entry] {
    var rest = edits[...]
    var history: [Transcript.Entry] = []
    for entry in self {
      while let edit = rest.first, edit.afterEntry < entry.id {
        history = try apply(edit, history)
        rest = rest.dropFirst()
      }
      history.append(entry.entry)
    }
    return try rest.reduce(history) { try apply($1, $0) }
  }
}

extension PropertyRecord {
  init(_ row: Row) throws {
    turn = try row.value("turn")
    agent = try row.value("agent")
    at = try row.date("at")
    afterEntry = try row.value("afterEntry")
    name = try row.value("name")
    value = try row.value("value")
  }
}

extension HistoryEditRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    turn = try row.value("turn")
    agent = try row.value("agent")
    at = try row.date("at")
    afterEntry = try row.value("afterEntry")
    edit = try Payload.decode(row.value("payload"))
    try ImplausibleValue.refuse(edit.implausibility)
  }
}

extension ContextRecord {
  init(_ row: Row) throws {
    turn = try row.value("turn")
    agent = try row.value("agent")
    at = try row.date("at")
    afterEntry = try row.value("afterEntry")
    report = try Payload.decode(row.value("payload"))
    request = try row.request("request")
    try ImplausibleValue.refuse(report.implausibility)
  }
}
