import GRDB

extension JournalReader {
  /// Returns people's conversations with a turn that has no end, in the order in which they began.
  ///
  /// Such a turn is under way, or its coordinator ended during it.
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

  /// Returns the turns that have an end although a friend's turn below them has none.
  package func endedTurnsWithOpenFriends() async throws -> [Int64] {
    // Starts from the open turns, which are few, and looks upward.
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
