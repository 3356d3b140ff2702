import GRDB

/// The conversations that a check or an export covers.
struct SessionScope {
  let sessions: Int
  /// The conversations of the sessions and of the friends phoned in them.
  let conversations: Set<Int64>
  /// The session; `nil` when everything is covered, also what belongs to no session.
  private let session: String?

  /// Finds the conversations of a session; `nil` means all sessions.
  /// - Throws: ``SessionError/unknown(_:)`` when there is no such session.
  init(_ session: String?, _ db: Database) throws {
    self.session = session
    guard let session else {
      let sql = "SELECT COUNT(*) FROM conversation WHERE name IS NOT NULL"
      sessions = try Int.fetchOne(db, sql: sql) ?? 0
      conversations = try Int64.fetchSet(db, sql: "SELECT id FROM conversation")
      return
    }
    conversations = try Int64.fetchSet(
      db,
      sql: """
        WITH RECURSIVE tree(id) AS (
          SELECT id FROM conversation WHERE name = ?
          UNION
          SELECT friend.id FROM conversation AS friend
            JOIN turn ON friend.parentTurn = turn.id
            JOIN tree ON turn.conversation = tree.id
        )
        SELECT id FROM tree
        """,
      arguments: [session]
    )
    guard !conversations.isEmpty else { throw SessionError.unknown(session) }
    sessions = 1
  }

  func contains(_ conversation: Int64) -> Bool {
    session == nil || conversations.contains(conversation)
  }

  /// The SQL condition for the rows of these conversations.
  /// - Parameter column: The column with the conversation.
  func condition(_ column: String) -> String {
    if session == nil { return "TRUE" }
    return "\(column) IN (\(conversations.map(String.init).joined(separator: ",")))"
  }

  /// Returns the session of a conversation, which may be that of a friend's friend.
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
