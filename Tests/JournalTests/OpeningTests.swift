import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

struct OpeningTests {
  @Test func `There is no reader where there is no journal`() throws {
    let file = try JournalFile()
    #expect(try JournalReader(path: file.path) == nil)
    _ = try file.open()
    #expect(try JournalReader(path: file.path) != nil)
  }

  @Test func `What has been written is read at once`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let reader = try file.reader()
    for number in 0..<10 {
      try await journal.append(.response("\(number)"), in: conversation, turn: turn)
      #expect(try await reader.entries(of: conversation).count == number + 2)
    }
  }

  /// The sync mode of commits: 1 lets the system write to disk later, 2 waits for the disk.
  private func durability(of database: any DatabaseWriter) throws -> Int? {
    try database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
  }

  @Test func `What has been written is on the disk, and not only with the system`() throws {
    let file = try JournalFile()
    let journal = try file.open()
    #expect(try durability(of: journal.database) == 2)
    try journal.close()
    #expect(try durability(of: file.open().database) == 2, "also when it was there already")
    let other = try DatabasePool(path: file.folder.appending(path: "other.sqlite").path)
    #expect(try durability(of: other) == 1, "the detector: it is not so by itself")
  }

  @Test func `After a kill everything is there, and writing goes on`() async throws {
    let file = try JournalFile()
    // Never closed, as after a process was killed.
    let killed = try file.open()
    let (conversation, turn) = try await killed.beginTalk()
    let pass = BatonPass(from: "a", to: "b", callID: "1")
    try await killed.append([.passedBaton(pass)], in: conversation, turn: turn, agent: "a")
    let journal = try file.open()
    let known = try await journal.conversation(named: "talk", holder: "c")
    #expect((known.id, known.holder) == (conversation, "b"))
    #expect(try await journal.beginTurn("again", in: conversation) == turn + 1)
    #expect(try await file.reader().turns(of: conversation).map(\.exit) == [nil, nil])
    withExtendedLifetime(killed) {}
  }

  @Test func `How much is read before it is open is known, and is nothing where it was closed`()
    async throws
  {
    let file = try JournalFile()
    #expect(Journal.bytesToCheck(at: file.path) == 0)
    let journal = try file.open()
    _ = try await journal.beginTalk()
    // As a killed process would have left it.
    #expect(Journal.bytesToCheck(at: file.path) > 0)
    try journal.close()
    #expect(Journal.bytesToCheck(at: file.path) == 0)
  }

  @Test func `Only its owner can read it, and the files beside it`() async throws {
    let file = try JournalFile()
    let before = umask(0o022)
    defer { umask(before) }
    let journal = try file.open()
    _ = try await journal.beginTalk()
    let names = try file.names()
    #expect(names.count > 1)
    for name in names {
      let path = file.folder.appending(path: name).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test func `A journal that others could read is theirs no more`() throws {
    let file = try JournalFile()
    _ = try file.open()
    chmod(file.path, 0o644)
    _ = try file.open()
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `A journal of a newer orchestrator is refused, for writing and for reading`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.database.write { try $0.execute(sql: "PRAGMA user_version = 2") }
    try journal.close()
    try expectRefusal(of: file, .newer(path: file.path))
  }

  @Test func `A journal in the form before the log is refused, for writing and for reading`()
    throws
  {
    let file = try JournalFile()
    let queue = try DatabaseQueue(path: file.path)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          CREATE TABLE entry (id INTEGER PRIMARY KEY, payload TEXT NOT NULL);
          """
      )
    }
    try queue.close()
    try expectRefusal(of: file, .older(path: file.path))
  }

  @Test func `The database of another program is refused, for writing and for reading`() throws {
    let file = try JournalFile()
    let queue = try DatabaseQueue(path: file.path)
    try queue.write { try $0.execute(sql: "CREATE TABLE fact (id INTEGER PRIMARY KEY)") }
    try queue.close()
    for open in [{ _ = try file.open() }, { _ = try file.reader() }] {
      let error = #expect(throws: JournalError.self) { try open() }
      guard case .damaged = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  /// Expects that a journal can be neither written nor read, and is left alone.
  private func expectRefusal(of file: JournalFile, _ error: JournalError) throws {
    let before = try Data(contentsOf: URL(filePath: file.path))
    #expect(throws: error) { try file.open() }
    #expect(throws: error) { try file.reader() }
    #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
  }

  @Test func `A draft that a killed process has left is removed`() throws {
    let file = try JournalFile()
    for suffix in [".new", ".new-journal"] {
      try Data("left".utf8).write(to: URL(filePath: file.path + suffix))
    }
    try file.open().close()
    #expect(try file.names().filter { $0.contains(".new") } == [])
  }

  @Test func `A file that is no journal is refused and left alone`() throws {
    let file = try JournalFile()
    let text = String(repeating: "Dear diary, today nothing happened.\n", count: 200)
    try text.write(toFile: file.path, atomically: true, encoding: .utf8)
    for open in [{ _ = try file.open() }, { _ = try file.reader() }] {
      let error = #expect(throws: JournalError.self) { try open() }
      guard case .damaged(file.path, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
  }

  @Test func `A place where nothing can be written is refused`() throws {
    let file = try JournalFile()
    let folder = file.folder.appending(path: "none").path
    let error = #expect(throws: JournalError.self) { try Journal(path: "\(folder)/journal") }
    guard case .unwritable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // Runs in its own process, which gives up being root because root can write everywhere.
  @Test(arguments: [false, true])
  func `A folder that may only be read is refused`(isThere: Bool) async throws {
    let file = try JournalFile()
    if isThere {
      let journal = try file.open()
      try await journal.play("one")
      try journal.close()
    }
    let before = FileManager.default.contents(atPath: file.path)
    if isThere { chmod(file.path, 0o444) }
    chmod(file.folder.path, 0o555)
    // An unwritable folder could not be removed either.
    defer { chmod(file.folder.path, 0o755) }
    await #expect(processExitsWith: .success) { [path = file.path as String] in
      if geteuid() == 0 { try #require(setuid(65534) == 0) }
      let error = #expect(throws: JournalError.self) { try Journal(path: path) }
      guard case .unwritable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(FileManager.default.contents(atPath: file.path) == before)
  }

  @Test(arguments: [
    (ResultCode.SQLITE_FULL, JournalError.full(path: "p")),
    (.SQLITE_CORRUPT, .damaged(path: "p", reason: "r")),
    (.SQLITE_NOTADB, .damaged(path: "p", reason: "r")),
    (.SQLITE_CANTOPEN, .unwritable(path: "p", reason: "r")),
    (.SQLITE_IOERR, .unwritable(path: "p", reason: "r")),
  ])
  func `What SQLite says becomes what a person can do`(code: ResultCode, error: JournalError) {
    let told = JournalError(DatabaseError(resultCode: code, message: "r"), path: "p")
    #expect(told == error)
    #expect(told.description.contains("p"))
  }
}
