import Foundation
import GRDB

/// A place in a journal that is not as it was written.
package struct JournalFlaw: Sendable, Equatable, Codable {
  /// Where the flaw is, such as `fact 12`.
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
  ///
  /// These are the checks of SQLite, whether every fact can be read and fits those before it, and
  /// whether conversations, turns and runs are what the log says.
  /// - Parameter session: The session whose content is checked; `nil` checks all. The storage is
  ///   checked as a whole in either case.
  /// - Throws: ``SessionError/unknown(_:)`` when there is no such session.
  package func inspect(session: String? = nil) async throws -> JournalInspection {
    try await read { db in
      let flaws = try Self.storageFlaws(db)
      // Unreadable pages say nothing about what was written on them.
      guard flaws.isEmpty else { return JournalInspection(flaws: flaws) }
      let scope = try SessionScope(session, db)
      var replay = try LogReplay(scope, db)
      try replay.run()
      var inspection = replay.inspection
      inspection.flaws = try Self.orphans(in: scope, db) + inspection.flaws
      return inspection
    }
  }

  /// Finds flaws of pages, indexes and the structure of the tables.
  static func storageFlaws(_ db: Database) throws -> [JournalFlaw] {
    let words = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)")
    if words != ["ok"] { return words.map { JournalFlaw(place: JournalFlaw.storage, problem: $0) } }
    if try Schema.definitions(db) != LogReplay.emptyTables().read(Schema.definitions) {
      let problem = "its tables are not those of this version"
      return [JournalFlaw(place: JournalFlaw.schema, problem: problem)]
    }
    return []
  }

  /// Finds rows that refer to a missing row, also those of which nothing says where they belong.
  private static func orphans(in scope: SessionScope, _ db: Database) throws -> [JournalFlaw] {
    try orphans(db).compactMap { table, id, parent in
      let column = table == "conversation" ? "id" : "conversation"
      let sql = "SELECT \(column) FROM \(table) WHERE rowid = ?"
      let conversation = try Int64.fetchOne(db, sql: sql, arguments: [id]) ?? 0
      let session = try SessionScope.session(of: conversation, db)
      guard session == nil || scope.contains(conversation) else { return nil }
      let problem = "its \(parent) is missing"
      return JournalFlaw(place: "\(table) \(id)", problem: problem, session: session)
    }
  }

  /// Returns the rows that refer to a missing row: their table, their number and the table of that.
  static func orphans(_ db: Database) throws -> [(table: String, id: Int64, parent: String)] {
    try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { row in
      (try row.value("table"), try row.value("rowid") ?? 0, try row.value("parent"))
    }
  }
}
