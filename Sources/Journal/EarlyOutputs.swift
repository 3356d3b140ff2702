import Foundation
import GRDB
package import Transcripts

/// The result of a call that returned while earlier calls of its round still ran.
package struct EarlyOutputRecord: Sendable, Equatable {
  /// The last entry at the time.
  package var afterEntry: Int64
  package var output: Transcript.ToolOutput
  /// The size of the output in bytes.
  package var size: Int
}

extension Journal {
  /// Records the result of a call whose entry must wait for those of earlier calls.
  /// - Parameter payload: The entry that the result will become.
  package func keepEarly(
    _ payload: EntryPayload,
    conversation: Int64,
    turn: Int64,
    agent: String
  ) async throws {
    try await write { db in
      try db.perform(
        sql: """
          INSERT INTO earlyOutput (conversation, turn, agent, at, afterEntry, payload)
          SELECT ?, ?, ?, ?, MAX(id), ? FROM entry WHERE conversation = ?
          """,
        arguments: [
          conversation, turn, agent, Date().timeIntervalSince1970, payload.text, conversation,
        ]
      )
    }
  }
}

extension JournalReader {
  /// Returns the results that calls of a turn returned early, in the order in which they did.
  ///
  /// Unreadable ones are left out: what their calls did is unknown then, and the conversation goes
  /// on.
  /// - Parameter round: The entry of the calls; an identity may recur in a later round.
  package func earlyOutputs(
    of turn: Int64,
    since round: Int64 = 0
  ) async throws -> [EarlyOutputRecord] {
    try await read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT afterEntry, payload FROM earlyOutput WHERE turn = ? AND afterEntry >= ? ORDER BY id
          """,
        arguments: [turn, round]
      )
      return try rows.compactMap { row in
        let payload: String = try row.value("payload")
        guard case .toolOutput(let output)? = try? Payload.decode(payload) as Transcript.Entry
        else {
          return nil
        }
        return EarlyOutputRecord(
          afterEntry: try row.value("afterEntry"),
          output: output,
          size: payload.utf8.count
        )
      }
    }
  }
}
