import Foundation
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

  /// Returns people's conversations, most recently asked first, and those never asked last.
  package func conversations() async throws -> [ConversationRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT conversation.* FROM conversation WHERE name IS NOT NULL
          ORDER BY (SELECT MAX(id) FROM turn WHERE conversation = conversation.id) DESC, id DESC
          """
      ).map(ConversationRecord.init)
    }
  }

  package func conversation(named name: String) async throws -> ConversationRecord? {
    try await read { try ConversationRecord.fetch($0, named: name) }
  }

  /// Returns the journaled spelling of a conversation's name; `nil` when there is none.
  ///
  /// SQLite compares bytes, and a name can be spelled in several ways.
  package func journaledName(of name: String) async throws -> String? {
    if try await conversation(named: name) != nil { return name }
    // ASCII has only one spelling.
    if name.unicodeScalars.allSatisfy(\.isASCII) { return nil }
    return try await conversations().lazy.compactMap(\.name).first { $0 == name }
  }

  /// Returns the friends' conversations of a turn, in the order in which they began.
  package func friends(of turn: Int64) async throws -> [ConversationRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM conversation WHERE parentTurn = ? ORDER BY id",
        arguments: [turn]
      ).map(ConversationRecord.init)
    }
  }

  /// Returns the first entry of each friend's conversation of a turn, by conversation.
  ///
  /// The entry is its place in the whole journal.
  package func beginningsOfFriends(in turn: Int64) async throws -> [Int64: Int64] {
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT conversation, MIN(id) AS first FROM entry
          WHERE conversation IN (SELECT id FROM conversation WHERE parentTurn = ?)
          GROUP BY conversation
          """,
        arguments: [turn]
      )
      return try Dictionary(
        uniqueKeysWithValues: rows.map { try ($0.value("conversation"), $0.value("first")) }
      )
    }
  }

  package func turns(of conversation: Int64) async throws -> [TurnRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM turn WHERE conversation = ? ORDER BY id",
        arguments: [conversation]
      ).map { try TurnRecord($0) }
    }
  }

  package func entries(of conversation: Int64) async throws -> [EntryRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM entry WHERE conversation = ? ORDER BY id",
        arguments: [conversation]
      ).map { try EntryRecord($0) }
    }
  }

  package func batons(of turn: Int64) async throws -> [BatonRecord] {
    try await read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM baton WHERE turn = ? ORDER BY id", arguments: [turn])
        .map(BatonRecord.init)
    }
  }

  /// Returns the runs of workers, latest last.
  package func runs(of conversation: Int64? = nil) async throws -> [RunRecord] {
    try await read { db in
      let all = "SELECT * FROM run"
      let order = " ORDER BY started, id"
      guard let conversation else {
        return try Row.fetchAll(db, sql: all + order).map(RunRecord.init)
      }
      return try Row.fetchAll(
        db,
        sql: all + " WHERE conversation = ?" + order,
        arguments: [conversation]
      ).map(RunRecord.init)
    }
  }

  /// Returns the windows of a conversation's agents in tokens, as their workers last reported them.
  package func windows(of conversation: Int64) async throws -> [String: Int] {
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT agent, contextSize FROM run WHERE conversation = ? AND contextSize IS NOT NULL
          ORDER BY started, id
          """,
        arguments: [conversation]
      )
      return try Dictionary(
        rows.map { row in
          let (agent, window): (String, Int) = (
            try row.value("agent"), try row.value("contextSize")
          )
          try ImplausibleValue.refuse(Plausible.count(window, of: "window"))
          return (agent, window)
        },
        uniquingKeysWith: { $1 }
      )
    }
  }

  package func run(_ id: String) async throws -> RunRecord? {
    try await read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM run WHERE id = ?", arguments: [id])
        .map(RunRecord.init)
    }
  }

  /// Returns the latest run with this pid, agent name or run ID.
  package func run(named name: String) async throws -> RunRecord? {
    try await read { db in
      try Row.fetchOne(
        db,
        sql: """
          SELECT * FROM run WHERE id = ? OR agent = ? OR pid = ? ORDER BY started DESC, id LIMIT 1
          """,
        arguments: [name, name, Int(name) ?? -1]
      ).map(RunRecord.init)
    }
  }
}
