import GRDB

/// What was taken out of a journal with a session.
package struct RemovedSession: Sendable, Equatable {
  /// How many rows of the journal belonged to it.
  package var rows: Int
  /// The workers that lived for it and for no other, by the ids of their runs.
  package var runs: [String]
}

extension Journal {
  /// Removes a session, and the friends that were phoned in it: all of it, or nothing.
  ///
  /// What was said in it is nowhere in the file afterwards. Numbers without gaps are how a loss is
  /// noticed, so what comes after it in the journal is numbered again: nobody may know its numbers.
  /// - Throws: `SessionError`, `JournalError`.
  package func remove(_ session: String) async throws -> RemovedSession {
    // What is wrong elsewhere could no more be told from what was removed.
    let flaws = try await JournalReader(self).inspect().flaws
    if let flaw = flaws.first(where: { $0.isOfStorage || $0.session != session }) {
      throw SessionError.flawedJournal(flaw)
    }
    do {
      return try await database.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF")
        defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
        var removed = RemovedSession(rows: 0, runs: [])
        try db.inTransaction {
          removed = try SessionRemoval(session, db).run()
          return .commit
        }
        // It may be that there is no room to write the rest anew; then its place is used again.
        try? db.execute(sql: "VACUUM")
        // The log still has the pages as they were.
        _ = try? db.checkpoint(.truncate)
        return removed
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }
}

/// Takes a session out of the tables, and closes the gaps.
private struct SessionRemoval {
  private let db: Database
  private let conversations: String
  private let tables: [JournalTable]

  init(_ session: String, _ db: Database) throws {
    self.db = db
    conversations = try SessionScope(session, db).conversations.map(String.init)
      .joined(separator: ",")
    tables = try JournalTable.all(db)
  }

  func run() throws -> RemovedSession {
    // A copy of the session has the same workers.
    try db.execute(
      sql: """
        UPDATE run SET conversation = NULL WHERE conversation IN (\(conversations))
          AND id IN (SELECT run FROM entry WHERE conversation NOT IN (\(conversations)))
        """
    )
    let runs = try String.fetchAll(
      db,
      sql: "SELECT id FROM run WHERE conversation IN (\(conversations)) ORDER BY id"
    )
    // The turns say whose rows of other tables are, and so go after them.
    let ordered = tables.filter { $0.name != "turn" } + tables.filter { $0.name == "turn" }
    var rows = 0
    for table in ordered {
      guard let conversation = table.conversation else { continue }
      try db.execute(sql: "DELETE FROM \(table.name) WHERE \(conversation) IN (\(conversations))")
      rows += db.changesCount
    }
    for table in tables { try countAnew(table) }
    for table in tables { try number(table) }
    for table in tables where table.key != nil {
      try db.execute(sql: "DROP TABLE temp.\(Self.numbers(of: table.name))")
    }
    try db.checkForeignKeys()
    return RemovedSession(rows: rows, runs: runs)
  }

  private static func numbers(of table: String) -> String { "numbersOf_\(table)" }

  /// Makes a table of the rows that get another number.
  private func countAnew(_ table: JournalTable) throws {
    guard let key = table.key else { return }
    let numbers = Self.numbers(of: table.name)
    try db.execute(
      sql: """
        CREATE TEMP TABLE \(numbers) (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
        INSERT INTO temp.\(numbers)
          SELECT id, number FROM (
            SELECT \(key) AS id, row_number() OVER (ORDER BY \(key)) AS number
            FROM main.\(table.name)
          ) WHERE id <> number;
        """
    )
  }

  private func number(_ table: JournalTable) throws {
    for column in table.columns {
      guard let other = table.numbering(column) else { continue }
      let numbers = "temp.\(Self.numbers(of: other))"
      // Below zero, where no row is yet.
      let sign = column == table.key ? "-" : ""
      try db.execute(
        sql: """
          UPDATE main.\(table.name)
          SET \(column) = \(sign)(SELECT new FROM \(numbers) WHERE old = \(column))
          WHERE \(column) IN (SELECT old FROM \(numbers))
          """
      )
    }
    guard let key = table.key else { return }
    try db.execute(sql: "UPDATE main.\(table.name) SET \(key) = -\(key) WHERE \(key) < 0")
  }
}
