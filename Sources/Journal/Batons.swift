import Foundation
import GRDB

/// A move of the baton to an agent because its holder is no longer available.
package struct BatonSubstitution: Sendable, Equatable {
  package let from: String
  package let to: String

  package init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

extension Journal {
  /// Passes the baton while its turn goes on.
  /// - Returns: Whether it was passed: the end of a turn has the last word on who holds it.
  @discardableResult
  package func passBaton(
    in conversation: Int64,
    turn: Int64,
    from: String,
    to: String,
    callID: String
  ) async throws -> Bool {
    try await write { db in
      guard try Self.isOpen(turn, db) else { return false }
      try Self.moveBaton(in: conversation, turn: turn, from: from, to: to, callID: callID, db)
      return true
    }
  }

  /// Moves the baton of a running turn, without a call, to an agent that is available.
  package func substitute(
    _ substitution: BatonSubstitution,
    in conversation: Int64,
    turn: Int64
  ) async throws {
    try await write { db in
      guard try Self.isOpen(turn, db) else { return }
      try Self.moveBaton(substitution, in: conversation, turn: turn, db)
    }
  }

  /// Records the move as a pass: taking the turn back returns the baton, even after a restart.
  static func moveBaton(
    _ substitution: BatonSubstitution,
    in conversation: Int64,
    turn: Int64,
    _ db: Database
  ) throws {
    try moveBaton(
      in: conversation,
      turn: turn,
      from: substitution.from,
      to: substitution.to,
      callID: BatonRecord.noCall,
      db
    )
  }

  private static func moveBaton(
    in conversation: Int64,
    turn: Int64,
    from: String,
    to: String,
    callID: String,
    _ db: Database
  ) throws {
    try db.perform(
      sql: """
        INSERT INTO baton (turn, holderBefore, holderAfter, callID, at) VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [turn, from, to, callID, Date().timeIntervalSince1970]
    )
    try db.perform(
      sql: "UPDATE conversation SET holder = ? WHERE id = ?",
      arguments: [to, conversation]
    )
  }

  private static func isOpen(_ turn: Int64, _ db: Database) throws -> Bool {
    let sql = "SELECT COUNT(*) FROM turn WHERE id = ? AND exit IS NULL"
    return try Int.fetchOne(db, sql: sql, arguments: [turn]) == 1
  }
}
