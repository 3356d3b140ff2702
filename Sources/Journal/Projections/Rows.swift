import Foundation
import GRDB
import Transcripts

// Conversion of rows to records. SQLite's types stay in this module.

extension Row {
  /// Returns the value of a column.
  /// - Throws: `RowDecodingError` when it is missing or of another type: on a lost page, columns
  ///   are empty that never should be, and that must not crash the reader.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: String
  ) throws -> Value {
    try decode(Value.self, forColumn: column)
  }

  fileprivate func date(_ column: String) throws -> Date {
    try Self.date(value(column))
  }

  /// Returns a date that may be missing.
  fileprivate func dateIfAny(_ column: String) throws -> Date? {
    let seconds: Double? = try value(column)
    return try seconds.map(Self.date)
  }

  private static func date(_ seconds: Double) throws -> Date {
    try InvalidValue.validate(date: seconds)
    return Date(timeIntervalSince1970: seconds)
  }
}

extension ConversationRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    name = try row.value("name")
    holder = try row.value("holder")
    created = try row.date("created")
    let turn: Int64? = try row.value("parentTurn")
    let call: String? = try row.value("parentCall")
    parent = turn.map { Parent(turn: $0, callID: call ?? "") }
    origin = try row.value("origin")
    isTemporary = try row.value("isTemporary")
  }

  static func fetch(_ db: Database, named name: String) throws -> ConversationRecord? {
    try Row.fetchOne(db, sql: "SELECT * FROM conversation WHERE name = ?", arguments: [name])
      .map(ConversationRecord.init)
  }

  static func fetch(_ db: Database, id: Int64) throws -> ConversationRecord {
    try ConversationRecord(db.row(id, of: "conversation"))
  }
}

extension TurnRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    conversation = try row.value("conversation")
    started = try row.date("started")
    ended = try row.dateIfAny("ended")
    let text: String? = try row.value("exit")
    exit = try text.map(JSON.decode)
    isReverted = try row.value("isReverted")
    caps = try row.value("caps")
    resumptions = try row.value("resumptions")
    spent = try row.value("spent")
    resumed = try row.dateIfAny("resumed")
    isImported = try row.value("isImported")
    request = try row.value("request")
    try ValueLimits.validate(counts: (resumptions, "resumptions"))
    try ValueLimits.validate(seconds: spent)
  }

  static func fetch(_ db: Database, id: Int64) throws -> TurnRecord {
    try TurnRecord(db.row(id, of: "turn"))
  }
}

extension RunRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    agent = try row.value("agent")
    role = Role(rawValue: try row.value("role")) ?? .baton
    conversation = try row.value("conversation")
    pid = try row.value("pid")
    launcher = try row.value("launcher")
    host = try row.value("host")
    model = try row.value("model")
    log = try row.value("log")
    started = try row.date("started")
    ended = try row.dateIfAny("ended")
    outcome = try row.value("outcome")
    cause = try row.value("cause")
    tokensIn = try row.value("tokensIn")
    tokensCached = try row.value("tokensCached")
    tokensOut = try row.value("tokensOut")
    seconds = try row.value("seconds")
    contextSize = try row.value("contextSize")
    try ValueLimits.validate(
      sums: (tokensIn, "tokens in"),
      (tokensCached, "tokens cached"),
      (tokensOut, "tokens out")
    )
    try ValueLimits.validate(counts: (contextSize ?? 0, "window"))
    try ValueLimits.validate(seconds: seconds)
  }
}

extension Database {
  fileprivate func row(_ id: Int64, of table: String) throws -> Row {
    let sql = "SELECT * FROM \(table) WHERE id = ?"
    guard let row = try Row.fetchOne(self, sql: sql, arguments: [id]) else {
      throw DatabaseError(resultCode: .SQLITE_NOTFOUND, message: "no \(table) \(id)")
    }
    return row
  }
}
