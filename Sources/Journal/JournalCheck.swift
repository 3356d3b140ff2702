import Foundation
import GRDB

/// Something in a journal that is not as it was written.
package struct JournalFlaw: Sendable, Equatable, Codable {
  /// Where it is, such as `entry 12`.
  package var place: String
  package var problem: String
  /// Whose it is; `nil` for what belongs to none, or to nobody knows which.
  package var session: String?

  fileprivate static let (storage, schema) = ("storage", "schema")

  /// Whether it is one of the file and its tables, of which nobody knows what they still hold.
  var isOfStorage: Bool { place == Self.storage || place == Self.schema }
}

extension JournalFlaw: CustomStringConvertible {
  package var description: String {
    "\(place): \(problem)" + (session.map { " (session '\($0)')" } ?? "")
  }
}

/// What a journal, or one session of it, holds, and what is wrong with it.
package struct JournalInspection: Sendable, Equatable, Codable {
  package var sessions = 0
  package var turns = 0
  package var entries = 0
  /// Turns that nobody has ended: under way, or cut off by the end of their coordinator.
  package var openTurns = 0
  package var flaws: [JournalFlaw] = []
}

extension JournalReader {
  /// Reads everything, and finds what is not as it was written.
  /// - Parameter session: The session whose content is looked at; `nil` looks at all. What the
  ///   storage keeps of others is read in any case.
  /// - Throws: ``SessionError/unknown(_:)`` when there is no such session.
  package func inspect(session: String? = nil) async throws -> JournalInspection {
    try await read { db in
      var inspection = JournalInspection()
      inspection.flaws += try Self.storageFlaws(db)
      // Pages that cannot be read say nothing about what was written on them.
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

  /// Pages, indexes, and the shape of the tables.
  private static func storageFlaws(_ db: Database) throws -> [JournalFlaw] {
    let words = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)")
    if words != ["ok"] { return words.map { JournalFlaw(place: JournalFlaw.storage, problem: $0) } }
    if try Schema.migrator.hasSchemaChanges(db) {
      let problem = "its tables are not those of this version"
      return [JournalFlaw(place: JournalFlaw.schema, problem: problem)]
    }
    return []
  }

  /// Rows that refer to one that is not there.
  private static func orphans(_ tables: [JournalTable], _ db: Database) throws -> [JournalFlaw] {
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

  /// Rows that say that they are of another session, and whose turn is of this one: who looks at all
  /// sessions finds them there.
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

  /// Rows that are gone: the numbers of a table have no gaps, because whoever removes a session closes
  /// them.
  private static func numberFlaws(_ tables: [JournalTable], _ db: Database) throws -> [JournalFlaw]
  {
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

/// The conversations that a check or an export is about.
struct SessionScope {
  let sessions: Int
  /// Those of the sessions, and of the friends that were phoned in them.
  let conversations: [Int64]

  /// - Throws: ``SessionError/unknown(_:)``
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

  /// The session in which a conversation is, perhaps a friend's of a friend's.
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
