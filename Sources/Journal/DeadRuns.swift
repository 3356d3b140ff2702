package import Foundation
import GRDB

extension JournalReader {
  /// Returns the processes that have died since a time, latest first.
  package func deaths(since start: Date, limit: Int) async throws -> [RunRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM run WHERE cause IS NOT NULL AND ended >= ?
          ORDER BY ended DESC, id LIMIT ?
          """,
        arguments: [start.timeIntervalSince1970, limit]
      ).map(RunRecord.init)
    }
  }

  /// Returns how many processes have died since a time.
  package func deathCount(since start: Date) async throws -> Int {
    try await read { db in
      try Int.fetchOne(
        db,
        sql: "SELECT COUNT(*) FROM run WHERE cause IS NOT NULL AND ended >= ?",
        arguments: [start.timeIntervalSince1970]
      ) ?? 0
    }
  }

  /// Returns the session of a conversation, through any number of friends that phoned one another.
  package func session(of conversation: Int64) async throws -> String? {
    try await read { try SessionScope.session(of: conversation, $0) }
  }
}
