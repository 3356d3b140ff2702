import Foundation
import GRDB
import Transcripts

extension Journal {
  /// Appends entries of one worker and adds the usage of their requests to its figures.
  ///
  /// Writes all or nothing, with a single wait for the disk.
  @discardableResult
  package func append(
    _ entries: [EntryPayload],
    conversation: Int64,
    turn: Int64,
    agent: String,
    run: String
  ) async throws -> [EntryRecord] {
    try await write { db in
      try entries.map { entry in
        if let request = entry.request { try Self.add(request, to: run, in: db) }
        return try Self.insert(
          entry,
          in: db,
          conversation: conversation,
          turn: turn,
          agent: agent,
          run: run
        )
      }
    }
  }

  static func add(_ request: RequestRecord, to run: String, in db: Database) throws {
    try db.perform(
      sql: """
        UPDATE run SET tokensIn = MIN(tokensIn + ?, \(Plausible.maximumSum)),
          tokensCached = MIN(tokensCached + ?, \(Plausible.maximumSum)),
          tokensOut = MIN(tokensOut + ?, \(Plausible.maximumSum)),
          seconds = MIN(seconds + ?, \(Plausible.maximumSeconds)),
          contextSize = IFNULL(?, contextSize)
        WHERE id = ?
        """,
      arguments: [
        request.tokensIn, request.tokensCached, request.tokensOut, request.seconds,
        request.contextSize, run,
      ]
    )
  }

  static func insert(
    _ payload: EntryPayload,
    in db: Database,
    conversation: Int64,
    turn: Int64,
    agent: String?,
    run: String?
  ) throws -> EntryRecord {
    let now = Date()
    try db.perform(
      sql: """
        INSERT INTO entry (conversation, turn, agent, run, at, payload, request)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        conversation, turn, agent, run, now.timeIntervalSince1970, payload.text,
        payload.requestText,
      ]
    )
    return EntryRecord(
      id: db.lastInsertedRowID,
      conversation: conversation,
      turn: turn,
      agent: agent,
      run: run,
      at: now,
      entry: payload.entry,
      request: payload.request,
      size: payload.size
    )
  }
}
