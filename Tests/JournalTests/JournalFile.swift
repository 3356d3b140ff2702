import AgentKit
import Foundation
import GRDB

@testable import Journal

/// A journal in its own folder.
final class JournalFile {
  let folder: URL

  var path: String { folder.appending(path: "journal.sqlite").path }

  init() throws {
    let name = "journal-\(UUID().uuidString)"
    folder = FileManager.default.temporaryDirectory.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open() throws -> Journal { try Journal(path: path) }

  /// The names of all that is in its folder.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Opens the journal as another process would.
  func reader() throws -> JournalReader {
    guard let reader = try JournalReader(path: path) else { throw CocoaError(.fileNoSuchFile) }
    return reader
  }
}

extension Journal {
  /// Closes the journal and changes its content in a way that only damage would.
  func close(after change: String) async throws {
    try close()
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: change)
    }
    try queue.close()
  }

  /// Imports a session from a file.
  @discardableResult
  func importSession(from path: String, as name: String? = nil) async throws -> String {
    let content = try Data(contentsOf: URL(filePath: path))
    return try await importSession(content, from: path, as: name)
  }

  /// Begins a conversation with one turn, for tests of what follows.
  func beginTalk(_ name: String = "talk") async throws -> (conversation: Int64, turn: Int64) {
    let conversation = try await conversation(named: name, holder: "a")
    let (turn, _) = try await beginTurn(in: conversation.id, prompt: .prompt("hello"))
    return (conversation.id, turn.id)
  }

  /// Appends an entry and adds its request to the figures of the worker: both or neither.
  @discardableResult
  func append(
    _ entry: Transcript.Entry,
    conversation: Int64,
    turn: Int64,
    agent: String,
    run: String,
    request: RequestRecord? = nil
  ) async throws -> EntryRecord {
    let payload = try EntryPayload(entry, request)
    return try await append(
      [payload],
      conversation: conversation,
      turn: turn,
      agent: agent,
      run: run
    )[0]
  }
}

extension Transcript.Entry {
  static func prompt(_ text: String) -> Self {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  static func response(_ text: String) -> Self {
    .response(.init(segments: [.text(.init(content: text))]))
  }
}

extension RunRecord {
  init(_ id: String, agent: String = "a", conversation: Int64?, pid: Int32 = 77, at second: Int) {
    self.init(
      id: id,
      agent: agent,
      role: .baton,
      conversation: conversation,
      pid: pid,
      launcher: "local",
      model: nil,
      log: "\(id).log",
      started: Date(timeIntervalSince1970: Double(second))
    )
  }
}
