package import Foundation
import GRDB

extension JournalReader {
  /// Writes a session, with the friends phoned in it, to a new file: all or nothing.
  ///
  /// There is no file before all of its content is known, so a process that is ended until then
  /// leaves nothing behind.
  /// - Returns: How many journal rows were written, and the flaws that may or may not concern this
  ///   session.
  /// - Throws: `SessionError`, `JournalError`.
  @discardableResult
  package func export(
    _ session: String,
    to path: String
  ) async throws -> (rows: Int, doubts: [JournalFlaw]) {
    let (content, rows, doubts) = try await export(session)
    try Self.write(content, to: path)
    return (rows, doubts)
  }

  /// Returns a session, with the friends phoned in it, as the content of a file.
  ///
  /// A session with a flaw is refused here, where it can still be repaired, because no import would
  /// accept it. Flaws of other sessions do not prevent the export.
  /// - Returns: The content, how many journal rows are in it, and the flaws that may or may not
  ///   concern this session.
  /// - Throws: `SessionError`, `JournalError`.
  package func export(
    _ session: String
  ) async throws -> (content: Data, rows: Int, doubts: [JournalFlaw]) {
    let flaws = try await inspect(session: session).flaws
    if let flaw = flaws.first(where: { $0.isOfStorage || $0.session == session }) {
      throw SessionError.flawed(session, flaw)
    }
    let (content, rows): (Data, Int) = try await read { db in
      let scope = try SessionScope(session, db)
      var lines = SessionLines()
      try lines.add(
        SessionFile.Header(session: session, schema: try Schema.migrator.appliedMigrations(db))
      )
      try RowExport(session, scope, db).run { try lines.add($0) }
      return try lines.completed()
    }
    return (content, rows, flaws.filter { $0.session == nil })
  }

  /// Writes a new file that only its owner can read.
  private static func write(_ content: Data, to path: String) throws(SessionError) {
    func unwritable() -> SessionError {
      .unwritable(path, reason: String(cString: strerror(errno)))
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw errno == EEXIST ? .fileExists(path) : unwritable() }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    var fault: SessionError?
    if (try? file.write(contentsOf: content)) == nil || fsync(descriptor) != 0 {
      fault = unwritable()
    }
    if close(descriptor) != 0 { fault = fault ?? unwritable() }
    guard let fault else { return }
    // Half an export is no export.
    unlink(path)
    throw fault
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

/// The lines of a file.
private struct SessionLines {
  private let encoder = JSONEncoder()
  private var content = Data()
  private var count = 0

  init() { encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }

  mutating func add(_ line: some Encodable) throws {
    content.append(try encoder.encode(line))
    content.append(UInt8(ascii: "\n"))
    count += 1
  }

  /// Adds the footer.
  /// - Returns: The whole content, and how many rows are in it.
  mutating func completed() throws -> (Data, Int) {
    let rows = count - 1
    let checksum = SessionFile.digits(of: SessionFile.checksum(content))
    try add(SessionFile.Footer(rows: rows, checksum: checksum))
    return (content, rows)
  }
}
