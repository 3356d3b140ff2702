package import AgentKit
import Foundation
import GRDB

/// The append-only record of everything that was said and done.
///
/// One process writes it.
///
/// A write returns when it is on disk, so what follows from it happens after it.
package final class Journal: Sendable {
  let database: any DatabaseWriter
  let path: String
  private let reserve: Reserve
  private let room: LogRoom
  /// What SQLite itself begins with.
  private static let checkpointPages = 1000

  /// Opens a journal for writing, and makes it where there is none.
  ///
  /// One that was not closed is read once from end to end, before anything is added to it.
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

  /// Puts everything into the one file; nothing can be written afterwards.
  package func close() throws {
    // Closing alone leaves it beside the file: the connections that read are closed last. Where there
    // is no room for it, it stays there.
    _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    do {
      try database.close()
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Writes all or nothing, where the room for the ends of turns is kept; what it has written is on disk
  /// when it returns.
  /// - Throws: `JournalError`.
  func write<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      let value = try await database.write { [reserve, path] db in
        // Before anything else: room that was given back is for ends alone.
        if try reserve.keep(for: path) { try db.moveIntoFile(after: Self.checkpointPages) }
        return try updates(db)
      }
      // Nobody waits for it, and nothing else is written meanwhile.
      if room.isUsedUp() { database.asyncWriteWithoutTransaction { [room] _ in room.grow() } }
      return value
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  /// Writes what ends a turn, with the room that was kept for it where there is no other.
  private func writeEnd(_ updates: @escaping @Sendable (Database) throws -> Void) async throws {
    do {
      try await database.writeWithoutTransaction { [reserve, path] db in
        func write() throws {
          try db.inTransaction {
            try updates(db)
            return .commit
          }
        }
        // In one access of the only writer, so that nobody else comes to the room between.
        do {
          try write()
        } catch let error as DatabaseError where error.tellsOfRoom(at: path) && reserve.spend() {
          // Nor SQLite itself, which after a commit would move what it can into the file.
          try db.moveIntoFile(after: 0)
          try write()
        }
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  // MARK: Conversations

  /// The conversation with a name; it begins with a holder when there is none.
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

  /// Begins the isolated conversation of a friend, and its one turn: both or neither.
  /// - Parameter caps: What it is given of its parent's budget, as JSON.
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
  ///   - caps: Its caps as JSON, for a coordinator that may have to go on with it.
  ///   - substitution: Who takes the baton for it, because its holder is not there.
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
  /// A reverted one takes its entries and its passes of the baton back.
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

  /// Keeps the beginning of a worker's life, or what a spare has become.
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

  /// Keeps the end of a worker's life.
  /// - Parameter cause: Of which kind its death was, in a word; `nil` when it ended as it should.
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
  /// Has what was written moved into the file itself when it is so many pages; 0 for never.
  fileprivate func moveIntoFile(after pages: Int) throws {
    try execute(sql: "PRAGMA wal_autocheckpoint = \(pages)")
  }
}
