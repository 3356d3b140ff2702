package import Foundation
import GRDB
import Transcripts

/// Reads a journal, even one that another process is writing.
package struct JournalReader: Sendable {
  private let database: any DatabaseReader
  private let path: String

  /// Opens a journal for reading.
  /// - Returns: `nil` when there is no journal yet.
  /// - Throws: `JournalError`.
  package init?(path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      database = try JournalOpening(path: path).openForReading()
      self.path = path
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  package init(_ journal: Journal) {
    database = journal.database
    path = journal.path
  }

  /// Reads a value from the database.
  /// - Throws: `JournalError`.
  func read<Value: Sendable>(
    _ value: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.read(value)
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Reads rows as records.
  func all<Record: Sendable>(
    _ sql: String,
    _ arguments: StatementArguments = [],
    _ record: @escaping @Sendable (Row) throws -> Record
  ) async throws -> [Record] {
    try await read { db in
      try Row.fetchAll(db, sql: sql, arguments: arguments).map(record)
    }
  }

  // MARK: Conversations and turns

  /// Returns people's conversations, most recently asked first, and those never asked last.
  package func conversations() async throws -> [ConversationRecord] {
    let sql = """
      SELECT conversation.* FROM conversation WHERE name IS NOT NULL
      ORDER BY (SELECT MAX(id) FROM turn WHERE conversation = conversation.id) DESC, id DESC
      """
    return try await all(sql) { try ConversationRecord($0) }
  }

  package func conversation(named name: String) async throws -> ConversationRecord? {
    let name = SessionName.normalized(name)
    return try await read { try ConversationRecord.fetch($0, named: name) }
  }

  package func conversation(_ id: Int64) async throws -> ConversationRecord? {
    try await all("SELECT * FROM conversation WHERE id = ?", [id]) { try ConversationRecord($0) }
      .first
  }

  /// Returns people's conversations with a turn that has no end, in the order in which they began.
  ///
  /// Such a turn is under way, or its coordinator ended during it.
  package func conversationsWithOpenTurns() async throws -> [ConversationRecord] {
    let sql = """
      SELECT * FROM conversation
      WHERE name IS NOT NULL AND id IN (SELECT conversation FROM turn WHERE exit IS NULL)
      ORDER BY id
      """
    return try await all(sql) { try ConversationRecord($0) }
  }

  /// Returns the names of the sessions that end with their turns.
  package func temporarySessions() async throws -> [String] {
    let sql = "SELECT name FROM conversation WHERE isTemporary AND name IS NOT NULL ORDER BY id"
    return try await all(sql) { try $0.value("name") }
  }

  /// Returns the session of a conversation, through any number of friends that phoned one another.
  package func session(of conversation: Int64) async throws -> String? {
    try await read { try SessionScope.session(of: conversation, $0) }
  }

  package func conversation(ofTurn turn: Int64) async throws -> ConversationRecord? {
    let sql = """
      SELECT * FROM conversation WHERE id = (SELECT conversation FROM turn WHERE id = ?)
      """
    return try await all(sql, [turn]) { try ConversationRecord($0) }.first
  }

  package func session(ofTurn turn: Int64) async throws -> String? {
    guard let conversation = try await conversation(ofTurn: turn) else { return nil }
    return try await session(of: conversation.id)
  }

  /// Returns the last turn of a session that counts, or is under way; `nil` if there is none.
  package func latestTurn(of session: String) async throws -> Int64? {
    let sql = """
      SELECT MAX(turn.id) AS latest FROM turn JOIN conversation ON conversation.id = conversation
      WHERE name = ? AND NOT isReverted
      """
    let name = SessionName.normalized(session)
    return try await read { try Int64.fetchOne($0, sql: sql, arguments: [name]) }
  }

  package func turns(of conversation: Int64) async throws -> [TurnRecord] {
    let sql = "SELECT * FROM turn WHERE conversation = ? ORDER BY id"
    return try await all(sql, [conversation]) { try TurnRecord($0) }
  }

  /// Returns the turn that a request asked for; `nil` for an unknown one.
  package func turn(ofRequest request: String) async throws -> TurnRecord? {
    try await all("SELECT * FROM turn WHERE request = ?", [request]) { try TurnRecord($0) }.first
  }

  /// Returns the turns without an end, those of friends too, in the order in which they began.
  package func openTurns() async throws -> [TurnRecord] {
    try await all("SELECT * FROM turn WHERE exit IS NULL ORDER BY id") { try TurnRecord($0) }
  }

  /// Returns the turns that have an end although a friend's turn below them has none.
  package func endedTurnsWithOpenFriends() async throws -> [TurnRecord] {
    // Starts from the open turns, which are few, and looks upward.
    let sql = """
      SELECT * FROM turn
      WHERE exit IS NOT NULL AND id IN (
        SELECT parentTurn FROM conversation
        WHERE id IN (SELECT conversation FROM turn WHERE exit IS NULL)
      )
      ORDER BY id
      """
    return try await all(sql) { try TurnRecord($0) }
  }

  /// Returns the friends' conversations of a turn, in the order in which they began.
  package func friends(of turn: Int64) async throws -> [ConversationRecord] {
    let sql = "SELECT * FROM conversation WHERE parentTurn = ? ORDER BY id"
    return try await all(sql, [turn]) { try ConversationRecord($0) }
  }

  // MARK: Runs

  /// Returns the runs of workers, latest last.
  package func runs(of conversation: Int64? = nil) async throws -> [RunRecord] {
    let sql = """
      SELECT * FROM run \(conversation == nil ? "" : "WHERE conversation = ?") ORDER BY started, id
      """
    let arguments = StatementArguments([conversation].compactMap(\.self))
    return try await all(sql, arguments) { try RunRecord($0) }
  }

  /// Returns the windows of a conversation's agents in tokens, as their workers last reported them.
  package func windows(of conversation: Int64) async throws -> [String: Int] {
    let runs = try await runs(of: conversation).compactMap { run in
      run.contextSize.map { (run.agent, $0) }
    }
    return Dictionary(runs, uniquingKeysWith: { $1 })
  }

  package func run(_ id: String) async throws -> RunRecord? {
    try await all("SELECT * FROM run WHERE id = ?", [id]) { try RunRecord($0) }.first
  }

  /// Returns the latest run with this pid, agent name or run ID.
  package func run(named name: String) async throws -> RunRecord? {
    let sql = """
      SELECT * FROM run WHERE id = ? OR agent = ? OR pid = ? ORDER BY started DESC, id LIMIT 1
      """
    return try await all(sql, [name, name, Int(name) ?? -1]) { try RunRecord($0) }.first
  }

  /// Returns the processes that have died since a time, latest first.
  package func deaths(since start: Date, limit: Int) async throws -> [RunRecord] {
    let sql = """
      SELECT * FROM run WHERE cause IS NOT NULL AND ended >= ? ORDER BY ended DESC, id LIMIT ?
      """
    return try await all(sql, [start.timeIntervalSince1970, limit]) { try RunRecord($0) }
  }

  /// Returns how many processes have died since a time.
  package func deathCount(since start: Date) async throws -> Int {
    try await read { db in
      let sql = "SELECT COUNT(*) FROM run WHERE cause IS NOT NULL AND ended >= ?"
      return try Int.fetchOne(db, sql: sql, arguments: [start.timeIntervalSince1970]) ?? 0
    }
  }
}
