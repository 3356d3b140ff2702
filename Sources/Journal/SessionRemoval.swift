import GRDB

/// What was removed from a journal with a session.
package struct RemovedSession: Sendable, Equatable {
  /// How many journal rows belonged to it.
  package var rows: Int
  /// The run IDs of the workers that lived for this session alone.
  package var runs: [String]
}

extension Journal {
  /// Removes a session, with the friends phoned in it: all or nothing.
  ///
  /// Afterwards nothing that was said in it remains in the file. Gapless numbers reveal losses, so
  /// later rows are renumbered, and nobody may rely on their numbers. Flaws of other sessions stay
  /// as they are; one that this would hide or make worse keeps the session from being removed.
  /// - Throws: `SessionError`, `JournalError`.
  package func remove(_ session: String) async throws -> RemovedSession {
    let flaws = try await JournalReader(self).flaws(barringRemovalOf: session)
    if let flaw = flaws.first { throw SessionError.flawedJournal(flaw) }
    do {
      return try await database.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF")
        defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
        var removed = RemovedSession(rows: 0, runs: [])
        try db.inTransaction {
          removed = try SessionRemoval(session, db).run()
          return .commit
        }
        // There may be no room to rewrite the file; its free pages are then reused.
        try? db.execute(sql: "VACUUM")
        // The log still has the old pages.
        _ = try? db.checkpoint(.truncate)
        return removed
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }
}

/// Removes a session from the tables and closes the gaps.
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
        UPDATE run SET conversation = (
          SELECT MIN(entry.conversation) FROM entry
          WHERE entry.run = run.id AND entry.conversation NOT IN (\(conversations))
        )
        WHERE conversation IN (\(conversations))
          AND id IN (SELECT run FROM entry WHERE conversation NOT IN (\(conversations)))
        """
    )
    let runs = try String.fetchAll(
      db,
      sql: "SELECT id FROM run WHERE conversation IN (\(conversations)) ORDER BY id"
    )
    // Turns identify the rows of other tables, so they are removed last.
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

  /// Makes a table of the rows that get a new number.
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
      // Negative numbers are not in use yet.
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
