package import Foundation
import GRDB

extension Journal {
  /// Imports a session from an exported file: all or nothing.
  ///
  /// It is assembled and checked separately, so that a faulty one never enters this journal. A turn
  /// without an end is marked: a file cannot have it go on here by itself.
  /// - Parameters:
  ///   - content: What is in the file.
  ///   - path: Where the file is, for what is said of it.
  ///   - name: The session's name here; `nil` keeps its name.
  /// - Returns: The name of the session.
  /// - Throws: `SessionError`, `SessionName.Fault` for an invalid name, `JournalError`.
  @discardableResult
  package func importSession(
    _ content: Data,
    from path: String,
    as name: String? = nil
  ) async throws -> String {
    let file = try SessionReader(path, content)
    let draft = JournalDraft(of: self.path)
    try draft.begin()
    defer { draft.remove() }
    try file.restore(at: draft.path, beside: self.path)
    guard let reader = try JournalReader(path: draft.path) else { throw file.damaged("it is gone") }
    let inspection = try await reader.inspect()
    if let flaw = inspection.flaws.first { throw file.damaged("\(flaw)") }
    let names = try await reader.conversations().compactMap(\.name)
    guard names.count == 1 else { throw file.damaged("it holds \(names.count) sessions") }
    guard names == [file.header.session] else {
      throw file.damaged("its first line names a different session than it contains")
    }
    let session = try name.map(SessionName.checked) ?? file.sessionName()
    do {
      try await database.writeWithoutTransaction { db in
        try db.execute(sql: "ATTACH DATABASE ? AS draft", arguments: [draft.path])
        defer { try? db.execute(sql: "DETACH DATABASE draft") }
        try db.inTransaction {
          // Compared here, because SQLite takes two spellings of one name for two names.
          let known = "SELECT name FROM main.conversation WHERE name IS NOT NULL"
          guard try !String.fetchAll(db, sql: known).contains(session) else {
            throw SessionError.nameTaken(session)
          }
          // Conversations and turns refer to one another.
          try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
          try db.execute(
            sql: "UPDATE draft.conversation SET name = ? WHERE name IS NOT NULL",
            arguments: [session]
          )
          // Whatever the file says of it: the file may be anybody's.
          try db.execute(sql: "UPDATE draft.turn SET isImported = 1 WHERE exit IS NULL")
          // The logs stayed where it comes from, and here their paths could name any file.
          try db.execute(sql: "UPDATE draft.run SET log = ''")
          try Self.copyRows(db)
          return .commit
        }
      }
    } catch {
      throw JournalError(error, path: self.path) ?? error
    }
    return session
  }

  /// Copies everything, table by table, under the next free numbers.
  private static func copyRows(_ db: Database) throws {
    let tables = try JournalTable.all(db)
    var offsets: [String: Int64] = [:]
    for table in tables where table.key != nil {
      offsets[table.name] = try Int64.fetchOne(db, sql: "SELECT MAX(rowid) FROM main.\(table.name)")
    }
    for table in tables {
      let values = table.columns.map { column in
        table.numbering(column).map { "\(column) + \(offsets[$0] ?? 0)" } ?? column
      }
      // A process that is known here is the same process; everything else is new.
      try db.execute(
        sql: """
          INSERT \(table.key == nil ? "OR IGNORE" : "") INTO main.\(table.name)
            (\(table.columns.joined(separator: ", ")))
          SELECT \(values.joined(separator: ", ")) FROM draft.\(table.name) ORDER BY rowid
          """
      )
    }
  }
}

/// Reads the content of an exported file line by line.
private struct SessionReader {
  let header: SessionFile.Header
  private let path: String
  private let rows: [Data]

  /// Checks that the file is complete and unchanged.
  init(_ path: String, _ content: Data) throws {
    self.path = path
    func damaged(_ reason: String) -> SessionError { .damaged(path, reason: reason) }
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let decoder = JSONDecoder()
    guard let first = lines.first,
      let header = try? decoder.decode(SessionFile.Header.self, from: first),
      header.format == SessionFile.format
    else { throw damaged("its first line is not that of a session") }
    let known = Schema.migrator.migrations
    guard header.version <= SessionFile.version, header.schema.allSatisfy(known.contains) else {
      throw SessionError.newer(path)
    }
    // Nothing follows the last line end.
    guard lines.count >= 3, lines.last?.isEmpty == true, let last = lines.dropLast().last,
      let footer = try? decoder.decode(SessionFile.Footer.self, from: last)
    else { throw damaged("its end is missing") }
    let sum = SessionFile.checksum(content[..<last.startIndex])
    guard footer.checksum == SessionFile.digits(of: sum), footer.rows == lines.count - 3 else {
      throw damaged("its content has been changed")
    }
    guard header.schema == Array(known.prefix(header.schema.count)), !header.schema.isEmpty else {
      throw damaged("its schema is unknown")
    }
    self.header = header
    rows = Array(lines[1..<(lines.count - 2)])
  }

  /// Returns the original name of the session, if it is valid here.
  func sessionName() throws(SessionError) -> String {
    do throws(SessionName.Fault) {
      return try SessionName.checked(header.session)
    } catch {
      throw .unusableName(path, error)
    }
  }

  /// Creates a journal from the file and migrates it to the current schema.
  /// - Parameter journal: The journal beside which it is, and shares a disk with.
  func restore(at draft: String, beside journal: String) throws {
    do {
      let queue = try DatabaseQueue(path: draft)
      try Schema.migrator.migrate(queue, upTo: header.schema.last ?? "")
      try queue.write { db in
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        let tables = try JournalTable.all(db)
        for line in rows { try insert(line, tables, db) }
      }
      try Schema.migrator.migrate(queue)
      try queue.close()
    } catch let error as DatabaseError {
      switch error.resultCode {
      // That is the disk's fault, and not that of the file.
      case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN:
        throw JournalError(error, path: journal)
      default: throw damaged(error.message ?? "\(error.resultCode)")
      }
    }
  }

  private func insert(_ line: Data, _ tables: [JournalTable], _ db: Database) throws {
    guard let row = try? JSONDecoder().decode(SessionFile.Row.self, from: line),
      let table = tables.first(where: { $0.name == row.table }),
      row.row.keys.allSatisfy(table.columns.contains)
    else { throw damaged("one of its lines is not a row of a journal") }
    let columns = row.row.keys.sorted()
    try db.execute(
      sql: """
        INSERT INTO \(table.name) (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """,
      arguments: StatementArguments(columns.map { row.row[$0] ?? .null })
    )
  }

  func damaged(_ reason: String) -> SessionError { .damaged(path, reason: reason) }
}
