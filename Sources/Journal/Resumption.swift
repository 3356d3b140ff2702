import Foundation
import GRDB

// What a coordinator finds that an earlier one has left.

extension Journal {
  /// Keeps that a turn is taken up by another coordinator, before it is.
  /// - Parameter spent: The seconds that it has taken so far.
  package func noteResumption(of turn: Int64, spent: Double) async throws {
    try await write { db in
      try db.execute(
        sql: """
          UPDATE turn SET resumptions = resumptions + 1, spent = ?, resumed = ? WHERE id = ?
          """,
        arguments: [spent, Date().timeIntervalSince1970, turn]
      )
    }
  }

  /// Keeps that the coordinator which has taken a turn up last was ended by something else.
  package func takeBackResumption(of turn: Int64) async throws {
    try await write { db in
      try db.execute(
        sql: "UPDATE turn SET resumptions = MAX(0, resumptions - 1) WHERE id = ?",
        arguments: [turn]
      )
    }
  }

  /// Ends the lives of workers whose coordinator is gone: they have ended with it, and nobody has
  /// heard how.
  package func closeRuns(outcome: String) async throws {
    try await write { db in
      try db.execute(
        sql: "UPDATE run SET ended = ?, outcome = ?, cause = 'lost' WHERE ended IS NULL",
        arguments: [Date().timeIntervalSince1970, outcome]
      )
    }
  }
}
