import Foundation
import GRDB

/// A place in a journal that is not as it was written.
package struct JournalFlaw: Sendable, Equatable, Codable {
  /// Where the flaw is, such as `entry 12`.
  package var place: String
  package var problem: String
  /// The session it belongs to; `nil` when there is none or it cannot be known.
  package var session: String?

  fileprivate static let (storage, schema) = ("storage", "schema")

  /// Whether the file or its tables are affected, so that their content cannot be known.
  var isOfStorage: Bool { place == Self.storage || place == Self.schema }
}

extension JournalFlaw: CustomStringConvertible {
  package var description: String {
    "\(place): \(problem)" + (session.map { " (session '\($0)')" } ?? "")
  }
}

/// The contents of a journal, or of one of its sessions, and its flaws.
package struct JournalInspection: Sendable, Equatable, Codable {
  package var sessions = 0
  package var turns = 0
  package var entries = 0
  /// Turns without an end: under way, or cut off by the end of their coordinator.
  package var openTurns = 0
  package var flaws: [JournalFlaw] = []
}

extension JournalReader {
  /// Reads everything and finds what is not as it was written.
  /// - Parameter session: The session whose content is checked; `nil` checks all. The storage is
  ///   checked as a whole in either case.
  /// - Throws: ``SessionError/unknown(_:)`` when there is no such session.
  package func inspect(session: String? = nil) async throws -> JournalInspection {
    try await read { db in
      var inspection = JournalInspection()
      inspection.flaws += try Self.storageFlaws(db)
      // Unreadable pages say nothing about what was written on them.
      guard inspection.flaws.isEmpty else { return inspection }
      let tables = try JournalTable.all(db)
      inspection.flaws += try Self.orphans(tables, db) + Self.numberFlaws(tables, db)
      let scope = try SessionScope(session, db)
      inspection.sessions = scope.sessions
      for conversation in scope.conversations {
        let known = inspection.flaws.count
        try ContentCheck(conversation, db).run(adding: &inspection)
        guard inspection.flaws.count > known else { continue }
        let owner = try session ?? SessionScope.session(of: conversation, db)
        for index in known..<inspection.flaws.count { inspection.flaws[index].session = owner }
      }
      if let session {
        inspection.flaws += try Self.strays(from: session, scope, tables, db)
      } else {
        inspection.flaws += try RecordCheck.flawsOfTemplates(db)
      }
      return inspection
    }
  }

  /// Finds flaws of pages, indexes and the structure of the tables.
  static func storageFlaws(_ db: Database) throws -> [JournalFlaw] {
    let words = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)")
    if words != ["ok"] { return words.map { JournalFlaw(place: JournalFlaw.storage, problem: $0) } }
    if try Schema.migrator.hasSchemaChanges(db) {
      let problem = "its tables are not those of this version"
      return [JournalFlaw(place: JournalFlaw.schema, problem: problem)]
    }
    return []
  }

  /// Finds rows that refer to a missing row.
  static func orphans(_ tables: [JournalTable], _ db: Database) throws -> [JournalFlaw] {
    try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { row in
      let name: String = row["table"]
      let id: Int64? = row["rowid"]
      let parent: String = row["parent"]
      let conversation = try tables.first { $0.name == name }?.conversation.flatMap { column in
        try Int64.fetchOne(
          db,
          sql: "SELECT \(column) FROM \(name) WHERE rowid = ?",
          arguments: [id]
        )
      }
      return JournalFlaw(
        place: "\(name) \(id ?? 0)",
        problem: "its \(parent) is missing",
        session: try conversation.flatMap { try SessionScope.session(of: $0, db) }
      )
    }
  }

  /// Finds rows assigned to another session whose turn is in this one.
  ///
  /// A check of all sessions finds them there.
  private static func strays(
    from session: String,
    _ scope: SessionScope,
    _ tables: [JournalTable],
    _ db: Database
  ) throws -> [JournalFlaw] {
    let own = scope.conversations.map(String.init).joined(separator: ",")
    return try tables.filter { Set($0.columns).isSuperset(of: ["conversation", "turn"]) }
      .flatMap { table in
        let sql = """
          SELECT \(table.name).id FROM \(table.name) JOIN turn ON turn.id = \(table.name).turn
          WHERE turn.conversation IN (\(own)) AND \(table.name).conversation NOT IN (\(own))
          """
        return try Int64.fetchAll(db, sql: sql).map {
          let problem = "it is in another session than its turn"
          return JournalFlaw(place: "\(table.name) \($0)", problem: problem, session: session)
        }
      }
  }

  /// Finds missing rows.
  ///
  /// The numbers of a table have no gaps, because removing a session closes them.
  static func numberFlaws(_ tables: [JournalTable], _ db: Database) throws -> [JournalFlaw] {
    try tables.compactMap { table in
      guard let key = table.key else { return nil }
      let missing = try Int64.fetchOne(
        db,
        sql: """
          SELECT MIN(number) FROM (
            SELECT \(key) AS id, row_number() OVER (ORDER BY \(key)) AS number FROM \(table.name)
          ) WHERE id <> number
          """
      )
      return missing.map { JournalFlaw(place: "\(table.name) \($0)", problem: "it is missing") }
    }
  }
}

/// The conversations that a check or an export covers.
struct SessionScope {
  let sessions: Int
  /// The conversations of the sessions and of the friends phoned in them.
  let conversations: [Int64]

  /// Finds the conversations of a session; `nil` means all sessions.
  /// - Throws: ``SessionError/unknown(_:)`` when there is no such session.
  init(_ session: String?, _ db: Database) throws {
    guard let session else {
      let sql = "SELECT COUNT(*) FROM conversation WHERE name IS NOT NULL"
      sessions = try Int.fetchOne(db, sql: sql) ?? 0
      conversations = try Int64.fetchAll(db, sql: "SELECT id FROM conversation ORDER BY id")
      return
    }
    conversations = try Int64.fetchAll(
      db,
      sql: """
        WITH RECURSIVE tree(id) AS (
          SELECT id FROM conversation WHERE name = ?
          UNION
          SELECT friend.id FROM conversation AS friend
            JOIN turn ON friend.parentTurn = turn.id
            JOIN tree ON turn.conversation = tree.id
        )
        SELECT id FROM tree ORDER BY id
        """,
      arguments: [session]
    )
    guard !conversations.isEmpty else { throw SessionError.unknown(session) }
    sessions = 1
  }

  /// Returns the session of a conversation, which may be that of a friend's friend.
  static func session(of conversation: Int64, _ db: Database) throws -> String? {
    try String.fetchOne(
      db,
      sql: """
        WITH RECURSIVE callers(id, name, turn) AS (
          SELECT id, name, parentTurn FROM conversation WHERE id = ?
          UNION
          SELECT caller.id, caller.name, caller.parentTurn FROM conversation AS caller
            JOIN turn ON turn.conversation = caller.id
            JOIN callers ON callers.turn = turn.id
        )
        SELECT name FROM callers WHERE name IS NOT NULL
        """,
      arguments: [conversation]
    )
  }
}
