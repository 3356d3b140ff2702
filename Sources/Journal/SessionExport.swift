import Foundation
import GRDB

extension JournalReader {
  /// Writes a session, with the friends phoned in it, to a new file: all or nothing.
  ///
  /// A session with a flaw is refused here, where it can still be repaired, because no import would
  /// accept it. Flaws of other sessions do not prevent the export.
  /// - Returns: How many journal rows were written, and the flaws that may or may not concern this
  ///   session.
  /// - Throws: `SessionError`, `JournalError`.
  @discardableResult
  package func export(
    _ session: String,
    to path: String
  ) async throws -> (rows: Int, doubts: [JournalFlaw]) {
    let flaws = try await inspect(session: session).flaws
    if let flaw = flaws.first(where: { $0.isOfStorage || $0.session == session }) {
      throw SessionError.flawed(session, flaw)
    }
    let rows = try await read { db in
      let scope = try SessionScope(session, db)
      var writer = try SessionWriter(path)
      do {
        try writer.write(
          SessionFile.Header(session: session, schema: try Schema.migrator.appliedMigrations(db))
        )
        try RowExport(session, scope, db).run { try writer.write($0) }
        return try writer.finish()
      } catch {
        // Half an export is no export.
        writer.abandon()
        throw error
      }
    }
    return (rows, flaws.filter { $0.session == nil })
  }
}

/// The rows of some conversations, renumbered from 1.
private struct RowExport {
  private let session: String
  private let conversations: String
  private let db: Database
  private let tables: [JournalTable]
  /// The new numbers by the old ones, per table.
  private var numbers: [String: [Int64: Int64]] = [:]

  init(_ session: String, _ scope: SessionScope, _ db: Database) throws {
    self.session = session
    conversations = scope.conversations.map(String.init).joined(separator: ",")
    self.db = db
    tables = try JournalTable.all(db).filter { $0.conversation != nil }
    for table in tables {
      guard let key = table.key else { continue }
      let known = try Int64.fetchAll(db, sql: Self.sql(key, table, conversations))
      numbers[table.name] = Dictionary(
        uniqueKeysWithValues: zip(known, 1...Int64(known.count + 1))
      )
    }
  }

  func run(_ body: (SessionFile.Row) throws -> Void) throws {
    for table in tables {
      let cursor = try Row.fetchCursor(db, sql: Self.sql("*", table, conversations))
      while let row = try cursor.next() {
        var values: [String: SessionFile.Value] = [:]
        let place = table.key.map { "\(table.name) \(row[$0] as Int64)" } ?? table.name
        for column in table.columns {
          values[column] = try number(row[column], in: column, of: table, at: place)
        }
        try body(SessionFile.Row(table: table.name, row: values))
      }
    }
  }

  /// Returns the new number for a value of a column.
  /// - Throws: `SessionError.flawed` when it refers to a row that is not in the session.
  private func number(
    _ value: SessionFile.Value,
    in column: String,
    of table: JournalTable,
    at place: String
  ) throws -> SessionFile.Value {
    guard case .integer(let old) = value, let other = table.numbering(column) else { return value }
    if let new = numbers[other]?[old] { return .integer(new) }
    // A process named by a copy may belong to the session that was copied.
    if table.key == nil { return .null }
    let problem = "a \(other) of another session is its \(column)"
    throw SessionError.flawed(session, JournalFlaw(place: place, problem: problem))
  }

  private static func sql(
    _ columns: String,
    _ table: JournalTable,
    _ conversations: String
  ) -> String {
    "SELECT \(columns) FROM \(table.name) WHERE \(table.condition(of: conversations)) ORDER BY rowid"
  }
}

/// A file of lines that is either complete or absent.
private struct SessionWriter {
  private let path: String
  private let descriptor: Int32
  private let encoder = JSONEncoder()
  private var buffer = Data()
  private var sum = SessionFile.checksum([])
  private var lines = 0

  init(_ path: String) throws(SessionError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard descriptor < 0 else { return }
    guard errno != EEXIST else { throw .fileExists(path) }
    throw .unwritable(path, reason: String(cString: strerror(errno)))
  }

  mutating func write(_ line: some Encodable) throws {
    let bytes = try encoder.encode(line) + [UInt8(ascii: "\n")]
    sum = SessionFile.checksum(bytes, after: sum)
    lines += 1
    buffer += bytes
    if buffer.count > 256 * 1024 { try flush() }
  }

  /// Completes the file.
  /// - Returns: How many rows were written.
  mutating func finish() throws -> Int {
    let rows = lines - 1
    try write(SessionFile.Footer(rows: rows, checksum: SessionFile.digits(of: sum)))
    try flush()
    guard fsync(descriptor) == 0, close(descriptor) == 0 else { throw fault }
    return rows
  }

  func abandon() {
    close(descriptor)
    unlink(path)
  }

  private mutating func flush() throws(SessionError) {
    do {
      try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: buffer)
    } catch {
      throw fault
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private var fault: SessionError { .unwritable(path, reason: String(cString: strerror(errno))) }
}
