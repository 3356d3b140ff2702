package import Foundation
import GRDB

/// What an agent used outside of its own requests and calls, as sessions in its hooks do.
package struct UsageRecord: Sendable, Equatable {
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var request: RequestRecord
}

extension JournalReader {
  /// Returns what was used in a turn and is told by no entry and no context, in order.
  package func usages(of turn: Int64) async throws -> [UsageRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM usage WHERE turn = ? ORDER BY id",
        arguments: [turn]
      ).map { try UsageRecord($0) }
    }
  }
}

extension UsageRecord {
  init(_ row: Row) throws {
    turn = try row.value("turn")
    agent = try row.value("agent")
    at = try row.date("at")
    afterEntry = try row.value("afterEntry")
    request = try RequestRecord(journaled: row.value("request"))
  }
}
