import GRDB
import Synchronization

/// Writes what arrives while a transaction is written in the next one, all of it together.
///
/// A commit waits for the disk; what arrives meanwhile then waits for one more commit, and not for
/// one each.
final class CommitQueue: Sendable {
  /// What is written all or nothing.
  private struct Write: Sendable {
    /// Whether it ends a turn, and may use the room that is reserved for that.
    let isEnd: Bool
    /// Writes it; what it returns is called once it is on disk.
    let updates: @Sendable (Database) throws -> () -> Void
    let fail: @Sendable (any Error) -> Void
  }

  private struct State {
    var waiting: [Write] = []
    var isWriting = false
  }

  private let database: any DatabaseWriter
  private let path: String
  private let reserve: Reserve
  private let room: LogRoom
  private let state = Mutex(State())
  private let commitTimes = Mutex(CommitTimes())
  /// SQLite's own default.
  private static let checkpointPages = 1000

  init(_ database: any DatabaseWriter, path: String) {
    self.database = database
    self.path = path
    reserve = Reserve(of: path)
    room = LogRoom(of: path, pages: Self.checkpointPages)
  }

  /// How long commits have taken.
  var times: CommitTimes { commitTimes.withLock { $0 } }

  /// Writes all or nothing, while keeping room for the ends of turns; returns when it is on disk.
  /// - Parameters:
  ///   - isEnd: Whether it ends a turn, and may use the room that is reserved for that.
  ///   - updates: Called again if the transaction that it was part of cannot be committed.
  /// - Throws: `JournalError`, or what `updates` throws.
  func write<Value: Sendable>(
    isEnd: Bool = false,
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        add(
          Write(
            isEnd: isEnd,
            updates: { db in
              let value = try updates(db)
              return { continuation.resume(returning: value) }
            },
            fail: { continuation.resume(throwing: $0) }
          )
        )
      }
    } catch {
      throw JournalError(error, path: path) ?? error
    }
  }

  private func add(_ write: Write) {
    let isIdle = state.withLock { state in
      state.waiting.append(write)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard isIdle else { return }
    database.asyncWriteWithoutTransaction { [self] db in
      while let batch = next() {
        let start = ContinuousClock.now
        if batch.count == 1 || !writeTogether(batch, db) {
          for write in batch { writeAlone(write, db) }
        }
        let time = ContinuousClock.now - start
        commitTimes.withLock { $0.add(time) }
        // No caller waits for this, and nothing else is written in the meantime.
        if room.isUsedUp() { room.grow() }
      }
    }
  }

  /// Returns everything that waits; `nil` ends the writing.
  private func next() -> [Write]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWriting = false
        return nil
      }
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Writes in one transaction, in which a failure concerns one write alone.
  /// - Returns: Whether it was committed; nothing was written otherwise, and no caller was told.
  private func writeTogether(_ batch: [Write], _ db: Database) -> Bool {
    var notices: [() -> Void] = []
    do {
      try db.inTransaction {
        if batch.contains(where: { !$0.isEnd }) { try keepReserve(db) }
        for write in batch {
          do {
            try db.inSavepoint {
              notices.append(try write.updates(db))
              return .commit
            }
          } catch {
            // Some errors take the whole transaction back, and an end may have other room.
            if !db.isInsideTransaction { throw error }
            if let error = error as? DatabaseError, error.tellsOfRoom(at: path) { throw error }
            notices.append { write.fail(error) }
          }
        }
        return .commit
      }
    } catch {
      return false
    }
    for notice in notices { notice() }
    return true
  }

  private func writeAlone(_ write: Write, _ db: Database) {
    do {
      let notice: () -> Void
      do {
        notice = try transaction(write, db)
      } catch let error as DatabaseError
        where write.isEnd && error.tellsOfRoom(at: path) && reserve.spend()
      {
        // SQLite may not use that room to move the log into the file after a commit.
        try db.moveIntoFile(after: 0)
        notice = try transaction(write, db)
      }
      notice()
    } catch {
      write.fail(error)
    }
  }

  private func transaction(_ write: Write, _ db: Database) throws -> () -> Void {
    var notice: (() -> Void)?
    try db.inTransaction {
      if !write.isEnd { try keepReserve(db) }
      notice = try write.updates(db)
      return .commit
    }
    return notice ?? {}
  }

  /// Reserves room for the ends of turns before anything else is written.
  private func keepReserve(_ db: Database) throws {
    if try reserve.keep(for: path) { try db.moveIntoFile(after: Self.checkpointPages) }
  }
}

extension Database {
  /// Makes SQLite move the log into the file once it has this many pages; 0 means never.
  fileprivate func moveIntoFile(after pages: Int) throws {
    try execute(sql: "PRAGMA wal_autocheckpoint = \(pages)")
  }
}
