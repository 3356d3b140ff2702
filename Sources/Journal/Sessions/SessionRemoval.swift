import GRDB

/// What was removed from a journal with a session.
package struct RemovedSession: Sendable, Equatable {
  /// How many facts belonged to it.
  package var rows: Int
  /// The run IDs of the workers that lived for this session alone.
  package var runs: [String]
}

extension Journal {
  /// Removes a session, with the friends phoned in it: all or nothing.
  ///
  /// Afterwards nothing that was said in it remains in the file. What stays keeps its numbers. Flaws
  /// of other sessions stay as they are.
  /// - Parameter compacts: Whether the whole file is checked before and made smaller after, which
  ///   takes as long as reading and writing it, and keeps everything else from being written.
  /// - Throws: `SessionError`, `JournalError`.
  package func remove(_ session: String, compacts: Bool = true) async throws -> RemovedSession {
    await prepareRemoval()
    if compacts {
      let storage = try await JournalReader(self).read { try JournalReader.storageFlaws($0) }
      if let flaw = storage.first { throw SessionError.flawedJournal(flaw) }
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
        // There may be no room to rewrite the file; its free pages are then reused.
        if compacts { try? db.execute(sql: "VACUUM") }
        // The log still has the old pages.
        _ = try? db.checkpoint(.truncate)
        return removed
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }
}

private struct SessionRemoval {
  private let db: Database
  private let scope: SessionScope

  init(_ session: String, _ db: Database) throws {
    self.db = db
    scope = try SessionScope(session, db)
  }

  func run() throws -> RemovedSession {
    let runs = try String.fetchAll(
      db,
      sql: "SELECT id FROM run WHERE \(scope.condition("conversation")) ORDER BY id"
    )
    try checkOthers()
    try delete(from: "fact", "conversation")
    let rows = db.changesCount
    try delete(from: "run", "conversation")
    try delete(from: "turn", "conversation")
    try delete(from: "conversation", "id")
    return RemovedSession(rows: rows, runs: try runs.filter { try !isKept($0) })
  }

  /// Refuses to leave facts of other sessions without their turn.
  ///
  /// Nothing else can refer to what is removed: a conversation that answers one of its turns belongs
  /// to it. Flaws elsewhere do not keep it from being removed, and are not looked for.
  private func checkOthers() throws {
    let fact = try Int64.fetchOne(
      db,
      sql: """
        SELECT id FROM fact
          WHERE turn IN (SELECT id FROM turn WHERE \(scope.condition("conversation")))
          AND NOT \(scope.condition("conversation"))
        """
    )
    guard let fact else { return }
    let problem = "it is of a turn of another session"
    throw SessionError.flawedJournal(JournalFlaw(place: "fact \(fact)", problem: problem))
  }

  private func delete(from table: String, _ column: String) throws {
    try db.execute(sql: "DELETE FROM \(table) WHERE \(scope.condition(column))")
  }

  /// Leaves a run to a copy of the session, which has the same workers.
  /// - Returns: Whether there is one.
  private func isKept(_ run: String) throws -> Bool {
    let sql = """
      SELECT * FROM fact WHERE run = :run AND conversation IN (
        SELECT conversation FROM fact WHERE kind = 'launched' AND run = :run
      ) ORDER BY id
      """
    let facts = try Row.fetchAll(db, sql: sql, arguments: ["run": run])
    for row in facts {
      let fact: Fact
      do {
        fact = try Fact(row)
      } catch {
        throw SessionError.flawedJournal(
          JournalFlaw(place: "fact \(error.id)", problem: "it cannot be read: \(error.problem)")
        )
      }
      if fact.event.isOfRun { try Projection.apply(fact, db) }
    }
    return !facts.isEmpty
  }
}

extension Fact.Event {
  /// Whether it changes what is known of its run, and no other projection.
  fileprivate var isOfRun: Bool {
    switch self {
    case .recorded, .changedState, .launched, .exited: true
    default: false
    }
  }
}
