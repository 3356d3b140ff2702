import GRDB

extension JournalReader {
  /// The conversations of people in which a turn has no end, in the order in which they began.
  ///
  /// It is under way, or its coordinator has ended in it.
  package func conversationsWithOpenTurns() async throws -> [ConversationRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM conversation
          WHERE name IS NOT NULL AND id IN (SELECT conversation FROM turn WHERE exit IS NULL)
          ORDER BY id
          """
      ).map(ConversationRecord.init)
    }
  }
}
