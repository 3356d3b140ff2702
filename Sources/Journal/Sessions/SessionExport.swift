package import Foundation
import GRDB

extension JournalReader {
  /// Writes a session, with the friends phoned in it, to a new file: all or nothing.
  ///
  /// There is no file before all of its content is known, so a process that is ended until then
  /// leaves nothing behind.
  /// - Returns: How many facts were written, and the flaws that may or may not concern this
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
  /// - Returns: The content, how many facts are in it, and the flaws that may or may not
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
      let sql = "SELECT * FROM fact WHERE \(scope.condition("conversation")) ORDER BY id"
      let facts = try Row.fetchCursor(db, sql: sql)
      var (lines, numbers) = (SessionLines(), Renumbering())
      try lines.add(SessionFile.Header(session: session))
      while let row = try facts.next() {
        let fact = try Fact(row)
        let moved: Fact
        do throws(Renumbering.Misfit) {
          moved = try numbers.renumbered(fact)
        } catch {
          let flaw = JournalFlaw(place: "fact \(fact.id)", problem: "\(error)")
          throw SessionError.flawed(session, flaw)
        }
        try lines.add(FactRow(moved))
      }
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
  /// - Returns: The whole content, and how many facts are in it.
  mutating func completed() throws -> (Data, Int) {
    let rows = count - 1
    try add(SessionFile.Footer(rows: rows, checksum: SessionFile.checksum(content)))
    return (content, rows)
  }
}
