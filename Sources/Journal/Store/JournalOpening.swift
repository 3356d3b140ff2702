import Foundation
import GRDB

/// Opens the file of a journal and checks it before anything is added.
///
/// A file that is refused is not changed.
struct JournalOpening {
  let path: String

  /// The log, which SQLite has not yet moved into the file itself.
  private var log: String { path + "-wal" }
  /// Where a journal is made before it gets its name.
  private var draft: String { path + ".new" }

  /// How many bytes are read from end to end before the journal is open: none when it was closed.
  var bytesToCheck: Int {
    guard let unmoved = size(of: log), unmoved > 0, let moved = size(of: path) else { return 0 }
    return moved + unmoved
  }

  /// Opens the journal for writing.
  /// - Throws: `JournalError` or `DatabaseError`.
  func open() throws -> DatabasePool {
    // Only one process at a time opens a journal for writing: a draft was left by a killed one.
    for suffix in ["", "-journal"] { unlink(draft + suffix) }
    // The log has content only when the journal was not closed.
    let wasClosed = size(of: log) == 0
    if size(of: path) == nil {
      guard wasClosed else { throw damaged("it is missing, but \(log) exists") }
      try make()
    } else {
      let reader = try openForReading()
      // Through a read-only connection: any other would move the log when it closes.
      if !wasClosed { try reader.read(check) }
      try reader.close()
      chmod(path, 0o600)
    }
    let pool = try DatabasePool(path: path)
    do {
      // FULL, because an accepted prompt must survive a crash of the machine and not just of the
      // process. Set here, because opening a pool resets it to NORMAL.
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // It is no loss where there is no room for it.
        try? db.execute(sql: Schema.launchOfRun)
      }
    } catch {
      try? pool.close()
      throw error
    }
    return pool
  }

  /// Opens the journal for reading.
  /// - Throws: `JournalError` or `DatabaseError`.
  func openForReading() throws -> DatabaseQueue {
    try refuseFolder()
    // Journals are made under another name and are never empty here; SQLite would start this one
    // anew.
    guard size(of: path) != 0 else { throw damaged("it is empty") }
    var configuration = Configuration()
    configuration.readonly = true
    // The journal is locked while another process closes it or checks what a killed one left.
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.read(checkVersion)
    return queue
  }

  /// Refuses a database that this version did not make.
  private func checkVersion(_ db: Database) throws {
    let application = try Int32.fetchOne(db, sql: "PRAGMA application_id")
    guard application == Schema.application else {
      // What the journal was before it was one log.
      if try db.tableExists("grdb_migrations") { throw JournalError.older(path: path) }
      throw damaged("it is another program's database, or has no content")
    }
    let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    if version > Schema.version { throw JournalError.newer(path: path) }
    guard version == Schema.version else { throw damaged("its version cannot be read") }
  }

  /// Creates a journal under another name, so that there is a whole one or none.
  private func make() throws {
    // Readable by its owner alone; SQLite gives its auxiliary files the same mode.
    let descriptor = openat(AT_FDCWD, draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable() }
    close(descriptor)
    let queue = try DatabaseQueue(path: draft)
    try queue.write(Schema.create)
    try queue.close()
    guard rename(draft, path) == 0 else { throw unwritable() }
  }

  /// Finds truncated or overwritten content, which SQLite itself notices only on reaching it.
  private func check(_ db: Database) throws {
    let words = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
    guard words == "ok" else { throw damaged(words ?? "it cannot be checked") }
    let fact = try Int64.fetchOne(
      db,
      sql: "SELECT id FROM fact WHERE NOT json_valid(payload) LIMIT 1"
    )
    if let fact { throw damaged("fact \(fact) cannot be read") }
  }

  /// Refuses a folder with a clear message, since SQLite only says that it cannot open it.
  private func refuseFolder() throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { return }
    throw JournalError.unwritable(path: path, reason: "it is a folder")
  }

  /// Returns the size of a file.
  /// - Returns: `nil` when the journal does not exist; 0 for any other missing file.
  private func size(of file: String) -> Int? {
    var facts = stat()
    guard stat(file, &facts) == 0 else { return file == path ? nil : 0 }
    return Int(facts.st_size)
  }

  private func damaged(_ reason: String) -> JournalError { .damaged(path: path, reason: reason) }

  /// The error of the last system call.
  private func unwritable() -> JournalError {
    .unwritable(path: path, reason: String(cString: strerror(errno)))
  }
}
