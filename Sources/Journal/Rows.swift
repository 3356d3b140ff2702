import Foundation
import GRDB

// How rows become records. SQLite's types stay in this room.

extension ConversationRecord {
  init(_ row: Row) {
    id = row["id"]
    name = row["name"]
    holder = row["holder"]
    created = Date(timeIntervalSince1970: row["created"])
    let turn: Int64? = row["parentTurn"]
    parent = turn.map { Parent(turn: $0, callID: row["parentCall"] ?? "") }
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
    return ConversationRecord(row)
  }
}

extension TurnRecord {
  init(_ row: Row) throws {
    id = row["id"]
    conversation = row["conversation"]
    started = Date(timeIntervalSince1970: row["started"])
    let end: Double? = row["ended"]
    ended = end.map(Date.init(timeIntervalSince1970:))
    let text: String? = row["exit"]
    exit = try text.map { try Payload.decode($0) }
    isReverted = row["isReverted"]
    caps = row["caps"]
    resumptions = row["resumptions"] ?? 0
  }
}

extension EntryRecord {
  init(_ row: Row) throws {
    id = row["id"]
    conversation = row["conversation"]
    turn = row["turn"]
    agent = row["agent"]
    run = row["run"]
    at = Date(timeIntervalSince1970: row["at"])
    entry = try Payload.decode(row["payload"])
    let text: String? = row["request"]
    request = try text.map { try Payload.decode($0) }
  }
}

extension BatonRecord {
  init(_ row: Row) {
    turn = row["turn"]
    from = row["holderBefore"]
    to = row["holderAfter"]
    callID = row["callID"]
    at = Date(timeIntervalSince1970: row["at"])
  }
}

extension RunRecord {
  init(_ row: Row) {
    id = row["id"]
    agent = row["agent"]
    role = Role(rawValue: row["role"]) ?? .baton
    conversation = row["conversation"]
    pid = row["pid"]
    launcher = row["launcher"]
    model = row["model"]
    log = row["log"]
    started = Date(timeIntervalSince1970: row["started"])
    let end: Double? = row["ended"]
    ended = end.map(Date.init(timeIntervalSince1970:))
    outcome = row["outcome"]
    cause = row["cause"]
    tokensIn = row["tokensIn"]
    tokensCached = row["tokensCached"]
    tokensOut = row["tokensOut"]
    seconds = row["seconds"]
  }
}
