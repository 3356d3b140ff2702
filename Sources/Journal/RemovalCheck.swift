import GRDB

extension JournalReader {
  /// Finds the flaws that removing a session would hide or make worse.
  ///
  /// A removal renumbers rows without gaps: afterwards a lost row would no longer be missed, and a
  /// reference to one might lead to another row. A row between the session and another one would go
  /// with the wrong one, or refer to nothing. What else is wrong in another session stays there as
  /// it is, and is found afterwards as well.
  /// - Throws: ``SessionError/unknown(_:)`` when there is no such session.
  func flaws(barringRemovalOf session: String) async throws -> [JournalFlaw] {
    try await read { db in
      let storage = try Self.storageFlaws(db)
      // Unreadable pages say nothing about what was written on them.
      guard storage.isEmpty else { return storage }
      let tables = try JournalTable.all(db)
      let scope = try SessionScope(session, db)
      var flaws = try Self.numberFlaws(tables, db)
      flaws += try Self.orphans(tables, db).filter { $0.session != session }
      flaws += try Self.unrooted(db)
      flaws += try Self.crossings(of: scope, tables, db)
      return flaws
    }
  }

  /// Finds the conversations of which nobody knows to which session they belong.
  private static func unrooted(_ db: Database) throws -> [JournalFlaw] {
    try Int64.fetchAll(db, sql: "SELECT id FROM conversation ORDER BY id").flatMap {
      try ContentCheck($0, db).unrooted()
    }
  }

  /// Finds rows that refer from a session to another one, or from another one to it.
  private static func crossings(
    of scope: SessionScope,
    _ tables: [JournalTable],
    _ db: Database
  ) throws -> [JournalFlaw] {
    let own = scope.conversations.map(String.init).joined(separator: ",")
    var flaws: [JournalFlaw] = []
    for table in tables {
      guard let conversation = table.conversation else { continue }
      // A row's own conversation says where it belongs.
      let parents = table.parents.filter { $0.value != "conversation" }
      for (column, parent) in parents.sorted(by: { $0.key < $1.key }) {
        guard let its = tables.first(where: { $0.name == parent })?.conversation else { continue }
        let other = "SELECT \(its) FROM \(parent) WHERE \(parent).id = \(table.name).\(column)"
        // A row that refers to nothing is not selected: it is an orphan.
        let sql = """
          SELECT rowid FROM \(table.name)
          WHERE (\(conversation) IN (\(own))) <> ((\(other)) IN (\(own))) ORDER BY rowid
          """
        flaws += try Int64.fetchAll(db, sql: sql).map {
          JournalFlaw(place: "\(table.name) \($0)", problem: "its \(parent) is of another session")
        }
      }
    }
    return flaws
  }
}
