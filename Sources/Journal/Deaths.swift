package import Foundation
import GRDB
import Transcripts

/// A worker that died in the middle of a turn.
package struct DeathRecord: Sendable, Equatable, Codable {
  package var run: String
  package var agent: String
  package var turn: Int64
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  /// How it ended, in words.
  package var cause: String
  /// The last lines of its log, oldest first.
  package var lastLines: [String]
  /// The tokens that it generated during its life.
  package var tokensOut: Int
  /// What it had begun to say; `nil` when it was saying nothing.
  package var partialText: String?
}

extension Journal {
  /// Records how a worker died in a turn.
  package func noteDeath(
    of run: String,
    agent: String,
    conversation: Int64,
    turn: Int64,
    cause: String,
    lastLines: [String],
    tokensOut: Int,
    partialText: String?
  ) async throws {
    try await write { db in
      try db.execute(
        sql: """
          INSERT INTO death
            (run, agent, conversation, turn, at, afterEntry, cause, lastLines, tokensOut, partialText)
          VALUES
            (?, ?, ?, ?, ?, (SELECT MAX(id) FROM entry WHERE conversation = ?), ?, ?, ?, ?)
          """,
        arguments: [
          run, agent, conversation, turn, Date().timeIntervalSince1970, conversation, cause,
          try Payload.encode(lastLines), min(tokensOut, Plausible.maximumSum), partialText,
        ]
      )
    }
  }
}

extension JournalReader {
  /// Returns the workers that died in the turns of a conversation, in order.
  package func deaths(of conversation: Int64) async throws -> [DeathRecord] {
    try await read { db in
      // A journal that no newer coordinator has opened yet lacks the table.
      guard try db.tableExists("death") else { return [] }
      return try Row.fetchAll(
        db,
        sql: "SELECT * FROM death WHERE conversation = ? ORDER BY id",
        arguments: [conversation]
      ).map { try DeathRecord($0) }
    }
  }
}

extension DeathRecord {
  init(_ row: Row) throws {
    run = try row.value("run")
    agent = try row.value("agent")
    turn = try row.value("turn")
    at = try row.date("at")
    afterEntry = try row.value("afterEntry")
    cause = try row.value("cause")
    lastLines = try Payload.decode(row.value("lastLines"))
    tokensOut = try row.value("tokensOut")
    partialText = try row.value("partialText")
    try ImplausibleValue.refuse(Plausible.sums((tokensOut, "tokens out")))
  }
}
