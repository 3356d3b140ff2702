import GRDB

extension FactRow {
  /// The fact that the row holds.
  package var content: Fact { get throws { try fact() } }
}

extension JournalReader {
  /// How much of a session is read at once.
  package static let maximumRows = 2_000
  private static let maximumBytes = 4 << 20

  /// Returns the facts of a session and of the friends phoned in it, as they are stored.
  /// - Parameters:
  ///   - id: The place in the log after which to begin; 0 for the beginning.
  ///   - limit: The maximum number of facts.
  /// - Returns: The next facts in order, as many as one answer may hold; none when there are no more.
  /// - Throws: `SessionError.unknown`, `JournalError`.
  package func rows(
    ofSession session: String,
    after id: Int64,
    limit: Int = maximumRows
  ) async throws -> [FactRow] {
    let name = SessionName.normalized(session)
    return try await read { db in
      let scope = try SessionScope(name, db)
      let sql = """
        SELECT * FROM fact WHERE id > ? AND \(scope.condition("conversation")) ORDER BY id LIMIT ?
        """
      let found = try Row.fetchCursor(db, sql: sql, arguments: [id, limit])
      var (rows, bytes): ([FactRow], Int) = ([], 0)
      while bytes < Self.maximumBytes, let row = try found.next() {
        let fact = try FactRow(row)
        bytes += fact.payload.utf8.count
        rows.append(fact)
      }
      return rows
    }
  }
}
