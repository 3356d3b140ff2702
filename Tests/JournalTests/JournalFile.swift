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
    return (conversation.id, try await beginTurn("hello", in: conversation.id))
  }

  @discardableResult
  func beginTurn(_ prompt: String, in conversation: Int64) async throws -> Int64 {
    try await beginTurn(in: conversation, prompt: RawEntry(.prompt(prompt)), caps: "{}").turn.id
  }

  /// Phones a friend with a call that has its identity.
  @discardableResult
  func phone(
    _ friend: String,
    call: String,
    of conversation: Int64,
    turn: Int64
  ) async throws -> (conversation: Int64, turn: Int64) {
    let begun = try await beginFriend(
      (call, friend, "a title?"),
      prompt: RawEntry(.prompt("a title?")),
      caps: "{}",
      of: conversation,
      turn: turn,
      agent: "a",
      run: nil
    )
    return (begun.conversation.id, begun.turn.id)
  }

  func beginRun(
    _ id: String,
    agent: String = "a",
    role: RunRecord.Role = .baton,
    in conversation: Int64,
    pid: Int32 = 77,
    host: String? = nil,
    model: String? = nil,
    at second: Double = 1000
  ) async throws {
    let start = RunStart(
      role: role,
      pid: pid,
      launcher: "local",
      host: host,
      model: model,
      log: "\(id).log",
      started: Date(timeIntervalSince1970: second)
    )
    try await append([.launched(start)], in: conversation, agent: agent, run: id)
  }

  func endRun(
    _ id: String,
    in conversation: Int64,
    outcome: String = "finished",
    cause: String? = nil
  ) async throws {
    let end = RunEnd(outcome: outcome, cause: cause)
    try await append([.exited(end)], in: conversation, agent: "a", run: id)
  }

  func end(
    _ turn: Int64,
    of conversation: Int64,
    _ exit: TurnExit = .answered,
    revertingTo holder: String? = nil
  ) async throws {
    try await append([.ended(exit, revertingTo: holder)], in: conversation, turn: turn)
  }

  /// Appends an entry of the agent "a".
  @discardableResult
  func append(
    _ entry: Transcript.Entry,
    in conversation: Int64,
    turn: Int64,
    run: String? = nil,
    request: RequestUsage? = nil
  ) async throws -> Fact {
    let event = Fact.Event.recorded(try RawEntry(entry), request)
    return try await append([event], in: conversation, turn: turn, agent: "a", run: run)[0]
  }

  /// Edits the history that the agents of a conversation share.
  func edit(
    in conversation: Int64,
    turn: Int64,
    _ change: ([Transcript.Entry]) -> [Transcript.Entry]
  ) async throws {
    let before = try await JournalReader(self).history(of: conversation).map(\.entry)
    let edit = HistoryEdit(from: before, to: change(before))
    let state = StateChange(properties: [:], history: edit)
    try await append([.changedState(state)], in: conversation, turn: turn, agent: "a")
  }
}

extension Transcript.Entry {
  static func prompt(_ text: String) -> Self {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  static func calls(_ ids: String...) -> Self {
    .toolCalls(
      .init(ids.map { .init(id: $0, toolName: $0, arguments: GeneratedContent(properties: [:])) })
    )
  }

  static func output(_ id: String) -> Self {
    .toolOutput(.init(id: id, toolName: id, segments: [.text(.init(content: "so"))]))
  }

  static func response(_ text: String) -> Self {
    .response(.init(segments: [.text(.init(content: text))]))
  }
}

extension RequestUsage {
  static let some = RequestUsage(
    tokensIn: 40,
    tokensCached: 4,
    tokensOut: 11,
    secondsToFirstToken: 0.25,
    seconds: 0.5,
    cacheBreak: CacheBreak(token: 3, lost: 1, cause: "the tools changed", was: "a", now: "b"),
    contextSize: 8192
  )
}
