import Foundation
import GRDB

// What a coordinator needs when it finds the work of an earlier one.

extension Journal {
  /// Records, in advance, that another coordinator resumes a turn.
  /// - Parameter spent: The seconds that the turn has taken so far.
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

  /// Records that the coordinator that last resumed a turn was ended by something else.
  package func takeBackResumption(of turn: Int64) async throws {
    try await write { db in
      try db.execute(
        sql: "UPDATE turn SET resumptions = MAX(0, resumptions - 1) WHERE id = ?",
        arguments: [turn]
      )
    }
  }

  /// Ends the runs of workers that ended with their coordinator, in a way that nobody observed.
  package func closeRuns(outcome: String) async throws {
    try await write { db in
      try db.execute(
        sql: "UPDATE run SET ended = ?, outcome = ?, cause = 'lost' WHERE ended IS NULL",
        arguments: [Date().timeIntervalSince1970, outcome]
      )
    }
  }
}
