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

  /// The turns that have an end, and a friend's turn below them that has none.
  package func endedTurnsWithOpenFriends() async throws -> [Int64] {
    // From the open turns, which are few, to what is above them.
    try await read { db in
      try Int64.fetchAll(
        db,
        sql: """
          SELECT parentTurn FROM conversation
          WHERE id IN (SELECT conversation FROM turn WHERE exit IS NULL)
            AND EXISTS (
              SELECT 1 FROM turn WHERE turn.id = conversation.parentTurn AND exit IS NOT NULL
            )
          ORDER BY id
          """
      )
    }
  }
}
