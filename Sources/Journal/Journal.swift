import Foundation
import GRDB
package import Transcripts

/// The append-only record of everything that was said and done.
///
/// Only one process writes it. A write returns when it is on disk, so everything that depends on it
/// happens afterwards.
package final class Journal: Sendable {
  let database: any DatabaseWriter
  let path: String
  private let reserve: Reserve
  private let room: LogRoom
  /// SQLite's own default.
  private static let checkpointPages = 1000

  /// Opens a journal for writing, and creates it if there is none.
  ///
  /// A journal that was not closed is read once from end to end before anything is added.
  /// - Throws: `JournalError`.
  package init(path: String) throws {
    self.path = path
    reserve = Reserve(of: path)
    room = LogRoom(of: path, pages: Self.checkpointPages)
    do {
      database = try JournalOpening(path: path).open()
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Returns how many bytes opening a journal reads from end to end, because it was not closed.
  package static func bytesToCheck(at path: String) -> Int {
    JournalOpening(path: path).bytesToCheck
  }

  /// Moves everything into the one file and closes the journal for writing.
  package func close() throws {
    // Closing alone leaves the log beside the file, because the reading connections close last. If
    // there is no room to move it, it stays there.
    _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    do {
      try database.close()
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Writes all or nothing, while keeping room for the ends of turns; returns when it is on disk.
  /// - Throws: `JournalError`.
  func write<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      let value = try await database.write { [reserve, path] db in
        // Before anything else: room that was released is for the ends of turns alone.
        if try reserve.keep(for: path) { try db.moveIntoFile(after: Self.checkpointPages) }
        return try updates(db)
      }
      // Nobody waits for this, and nothing else is written in the meantime.
      if room.isUsedUp() { database.asyncWriteWithoutTransaction { [room] _ in room.grow() } }
      return value
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Writes the end of a turn, using the reserved room if there is no other.
  private func writeEnd(_ updates: @escaping @Sendable (Database) throws -> Void) async throws {
    do {
      try await database.writeWithoutTransaction { [reserve, path] db in
        func write() throws {
          try db.inTransaction {
            try updates(db)
            return .commit
          }
        }
        // In a single access of the only writer, so that nobody else takes the released room.
        do {
          try write()
        } catch let error as DatabaseError where error.tellsOfRoom(at: path) && reserve.spend() {
          // Nor may SQLite take it, which would move the log into the file after a commit.
          try db.moveIntoFile(after: 0)
          try write()
        }
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  // MARK: Conversations

  /// Returns the conversation with a name, or begins it with a holder.
  package func conversation(named name: String, holder: String) async throws -> ConversationRecord {
    try await write { db in
      if let known = try ConversationRecord.fetch(db, named: name) { return known }
      try db.perform(
        sql: "INSERT INTO conversation (name, holder, created) VALUES (?, ?, ?)",
        arguments: [name, holder, Date().timeIntervalSince1970]
      )
      return try ConversationRecord.fetch(db, id: db.lastInsertedRowID)
    }
  }

  /// Begins the isolated conversation of a friend and its one turn: both or neither.
  /// - Parameter caps: The friend's share of its parent's budget, as JSON.
  package func beginFriend(
    _ agent: String,
    prompt: Transcript.Entry,
    turn: Int64,
    callID: String,
    caps: String? = nil
  ) async throws -> (conversation: ConversationRecord, turn: TurnRecord) {
    try await write { db in
      try db.perform(
        sql: """
          INSERT INTO conversation (holder, created, parentTurn, parentCall) VALUES (?, ?, ?, ?)
          """,
        arguments: [agent, Date().timeIntervalSince1970, turn, callID]
      )
      let conversation = try ConversationRecord.fetch(db, id: db.lastInsertedRowID)
      let begun = try Self.beginTurn(with: prompt, in: conversation.id, caps: caps, db)
      return (conversation, begun.turn)
    }
  }

  // MARK: Turns

  /// Begins a turn with its prompt: both or neither.
  /// - Parameters:
  ///   - caps: The turn's caps as JSON, for a coordinator that may have to continue it.
  ///   - substitution: The agent that takes the baton because its holder is no longer available.
  package func beginTurn(
    in conversation: Int64,
    prompt: Transcript.Entry,
    caps: String? = nil,
    substitution: BatonSubstitution? = nil
  ) async throws -> (turn: TurnRecord, entry: EntryRecord) {
    try await write { db in
      let begun = try Self.beginTurn(with: prompt, in: conversation, caps: caps, db)
      if let substitution {
        try Self.moveBaton(substitution, in: conversation, turn: begun.turn.id, db)
      }
      return begun
    }
  }

  private static func beginTurn(
    with prompt: Transcript.Entry,
    in conversation: Int64,
    caps: String? = nil,
    _ db: Database
  ) throws -> (turn: TurnRecord, entry: EntryRecord) {
    let now = Date()
    try db.perform(
      sql: "INSERT INTO turn (conversation, started, caps) VALUES (?, ?, ?)",
      arguments: [conversation, now.timeIntervalSince1970, caps]
    )
    let turn = TurnRecord(
      id: db.lastInsertedRowID,
      conversation: conversation,
      started: now,
      isReverted: false,
      caps: caps
    )
    let entry = try insert(
      EntryPayload(prompt),
      in: db,
      conversation: conversation,
      turn: turn.id,
      agent: nil,
      run: nil
    )
    return (turn, entry)
  }

  /// Ends a turn.
  ///
  /// A reverted turn takes its entries and its passes of the baton back.
  package func endTurn(
    _ turn: Int64,
    exit: TurnExit,
    revertingTo holder: String?
  ) async throws {
    try await writeEnd { db in
      try db.perform(
        sql: "UPDATE turn SET ended = ?, exit = ?, isReverted = ? WHERE id = ?",
        arguments: [
          Date().timeIntervalSince1970, try Payload.encode(exit), holder != nil, turn,
        ]
      )
      if let holder {
        try db.perform(
          sql: """
            UPDATE conversation SET holder = ?
            WHERE id = (SELECT conversation FROM turn WHERE id = ?)
            """,
          arguments: [holder, turn]
        )
      }
    }
  }

  // MARK: Runs

  /// Records the beginning of a worker's run, or what a spare has become.
  package func beginRun(_ run: RunRecord) async throws {
    try await write { db in
      if run.role != .spare {
        try db.perform(
          sql: "DELETE FROM run WHERE id = ? AND role = 'spare'",
          arguments: [run.id]
        )
      }
      try db.perform(
        sql: """
          INSERT INTO run (id, agent, role, conversation, pid, launcher, model, log, started)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          \(run.role == .spare ? "ON CONFLICT (id) DO NOTHING" : "")
          """,
        arguments: [
          run.id, run.agent, run.role.rawValue, run.conversation, run.pid, run.launcher, run.model,
          run.log, run.started.timeIntervalSince1970,
        ]
      )
    }
  }

  /// Records the end of a worker's run.
  /// - Parameter cause: The kind of death in a word; `nil` when the worker ended normally.
  package func endRun(_ id: String, outcome: String, cause: String? = nil) async throws {
    try await write { db in
      try db.perform(
        sql: "UPDATE run SET ended = ?, outcome = ?, cause = ? WHERE id = ?",
        arguments: [Date().timeIntervalSince1970, outcome, cause, id]
      )
    }
  }
}

extension Database {
  /// Makes SQLite move the log into the file once it has this many pages; 0 means never.
  fileprivate func moveIntoFile(after pages: Int) throws {
    try execute(sql: "PRAGMA wal_autocheckpoint = \(pages)")
  }
}
