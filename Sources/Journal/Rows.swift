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

  func date(_ column: String) throws -> Date {
    try Self.date(value(column))
  }

  /// Returns a date that may be missing.
  func dateIfAny(_ column: String) throws -> Date? {
    let seconds: Double? = try value(column)
    return try seconds.map(Self.date)
  }

  private static func date(_ seconds: Double) throws -> Date {
    try ImplausibleValue.refuse(date: seconds)
    return Date(timeIntervalSince1970: seconds)
  }

  /// Returns the usage of a model request, if there was one.
  func request(_ column: String) throws -> RequestRecord? {
    let text: String? = try value(column)
    return try text.map(RequestRecord.init(journaled:))
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
  }

  static func fetch(_ db: Database, named name: String) throws -> ConversationRecord? {
    try Row.fetchOne(db, sql: "SELECT * FROM conversation WHERE name = ?", arguments: [name])
      .map(ConversationRecord.init)
  }

  static func fetch(_ db: Database, id: Int64) throws -> ConversationRecord {
    let sql = "SELECT * FROM conversation WHERE id = ?"
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [id]) else {
      throw DatabaseError(resultCode: .SQLITE_NOTFOUND, message: "no conversation \(id)")
    }
    return try ConversationRecord(row)
  }
}

extension TurnRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    conversation = try row.value("conversation")
    started = try row.date("started")
    ended = try row.dateIfAny("ended")
    let text: String? = try row.value("exit")
    exit = try text.map { try Payload.decode($0) }
    isReverted = try row.value("isReverted")
    caps = try row.value("caps")
    resumptions = try row.value("resumptions") ?? 0
    spent = try row.value("spent") ?? 0
    resumed = try row.dateIfAny("resumed")
    isImported = try row.value("isImported")
    try ImplausibleValue.refuse(
      Plausible.count(resumptions, of: "resumptions") ?? Plausible.seconds(spent)
    )
  }
}

extension EntryRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    conversation = try row.value("conversation")
    turn = try row.value("turn")
    agent = try row.value("agent")
    run = try row.value("run")
    at = try row.date("at")
    let payload: String = try row.value("payload")
    entry = try Payload.decode(payload)
    size = payload.utf8.count
    request = try row.request("request")
  }
}

extension BatonRecord {
  init(_ row: Row) throws {
    turn = try row.value("turn")
    from = try row.value("holderBefore")
    to = try row.value("holderAfter")
    callID = try row.value("callID")
    at = try row.date("at")
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
    let window: Int? = try row.value("contextSize")
    try ImplausibleValue.refuse(
      Plausible.sums(
        (tokensIn, "tokens in"),
        (tokensCached, "tokens cached"),
        (tokensOut, "tokens out")
      ) ?? Plausible.count(window ?? 0, of: "window") ?? Plausible.seconds(seconds)
    )
  }
}
