package import Foundation
import Journal

/// What the journal and the logs tell, whether a coordinator runs or not.
struct JournalRecords: Sendable {
  let reader: @Sendable () throws -> JournalReader?
  private let folders: Folders

  /// - Parameter reader: Opens the journal; returns `nil` when there is none yet.
  init(folders: Folders, _ reader: @escaping @Sendable () throws -> JournalReader?) {
    self.folders = folders
    self.reader = reader
  }

  var journal: JournalReader {
    get throws {
      guard let reader = try reader() else {
        throw CoordinatorError.nothingJournaled(folders.journal)
      }
      return reader
    }
  }

  // MARK: Sessions

  /// Returns all sessions, most recently used first; one that was asked nothing yet counts as used
  /// when it began.
  func sessions() async throws -> [SessionSummary] {
    guard let reader = try reader() else { return [] }
    let waiting = Dictionary(grouping: try await reader.clientCalls()) { $0.session ?? "" }
      .mapValues { $0.map(\.tool) }
    var sessions: [SessionSummary] = []
    for conversation in try await reader.conversations() {
      let turns = try await reader.turns(of: conversation.id)
      sessions.append(
        SessionSummary(
          name: conversation.name ?? "",
          holder: conversation.holder,
          turns: turns.count,
          lastUse: turns.last?.started ?? conversation.created,
          origin: conversation.origin,
          isTemporary: conversation.isTemporary,
          clientCalls: waiting[conversation.name ?? ""] ?? []
        )
      )
    }
    return sessions.sorted { $0.lastUse > $1.lastUse }
  }

  /// Returns the calls that wait for the clients that are to perform them.
  func clientCalls() async throws -> [ClientCallRecord] {
    try await reader()?.clientCalls() ?? []
  }

  func session(ofTurn turn: Int64) async throws -> String? {
    try await reader()?.session(ofTurn: turn)
  }

  func transcript(of session: String?) async throws -> TranscriptTree {
    let reader = try journal
    let all = try await reader.conversations()
    let named = session.map { name in all.first { $0.name == name } } ?? all.first
    guard let conversation = named else {
      throw session.map(CoordinatorError.noSuchSession) ?? .noSessions
    }
    return try await TranscriptTree(conversation, reader)
  }

  func facts(of session: String, after place: Int64) async throws -> [FactRow] {
    try await journal.rows(ofSession: session, after: place)
  }

  /// Returns the holder of a session's baton; `nil` when there is no such session.
  func holder(of session: String) async throws -> String? {
    try await journal.conversation(named: session)?.holder
  }

  // MARK: Processes

  func runs() async throws -> [RunSummary] { try await journal.runs().map(RunSummary.init) }

  func deaths(since start: Date) async throws -> DeathList {
    try await DeathList(journal, since: start)
  }

  /// Returns the parts of a log, the process first.
  func log(of process: String, following: Bool) async throws -> EventStream<LogPart> {
    let run = try await run(named: process)
    // Not the path in the journal, which is for people: an imported one names any file.
    let path = folders.log(of: run.run)
    var note: String?
    if !FileManager.default.fileExists(atPath: path) {
      note =
        run.log.isEmpty
        ? "The log of \(run.run) did not come along when its session was imported."
        : "The log of \(run.run) is no longer kept: \(path)."
    }
    let (parts, continuation) = AsyncThrowingStream<LogPart, any Error>.makeStream()
    continuation.yield(.run(run, note: note))
    var log = LogReading(path: path)
    guard following else {
      continuation.yield(.text(log.next(isLast: true)))
      continuation.finish()
      return EventStream(parts)
    }
    // Unstructured: ends with the stream.
    let task = Task {
      do {
        var isOver = false
        while !isOver {
          // Checked first, so that the last lines of a worker that ends are read.
          isOver = try await !isAlive(run) || Task.isCancelled
          if !isOver { try await Task.sleep(for: .milliseconds(200)) }
          let text = log.next(isLast: isOver)
          if !text.isEmpty { continuation.yield(.text(text)) }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return EventStream(parts)
  }

  private func isAlive(_ run: RunSummary) async throws -> Bool {
    if run.run == Folders.coordinatorLog {
      return StateLock.holder(of: folders)?.pid == String(run.pid)
    }
    return try await (journal.run(run.run).map(RunSummary.init) ?? run).isAlive
  }

  private func run(named name: String) async throws -> RunSummary {
    if name == Folders.coordinatorLog { return coordinatorRun }
    if let run = try await reader()?.run(named: name) { return RunSummary(run) }
    // Templates and spares have a log, and no place in the journal.
    let path = folders.log(of: name)
    // A name is no path: other files are not read.
    guard !name.contains("/"), FileManager.default.fileExists(atPath: path) else {
      throw CoordinatorError.noSuchRun(name)
    }
    let role =
      name.hasPrefix(MCPServerPool.runPrefix)
      ? "server" : name.hasPrefix(Folders.outpostPrefix) ? "host" : "template"
    return RunSummary(process: name, role: role, pid: 0, log: path)
  }

  private var coordinatorRun: RunSummary {
    let pid = StateLock.holder(of: folders).flatMap { Int32($0.pid) } ?? 0
    let path = folders.log(of: Folders.coordinatorLog)
    return RunSummary(process: Folders.coordinatorLog, role: "coordinator", pid: pid, log: path)
  }
}

package struct SessionSummary: Codable, Sendable, Equatable {
  package var name: String
  package var holder: String
  package var turns: Int
  package var lastUse: Date
  /// The program that began it; `nil` when unknown.
  package var origin: String?
  /// Whether it is deleted when its turn ends.
  package var isTemporary = false
  /// The functions that its client is to perform, for which its turn waits.
  package var clientCalls: [String] = []
}

/// One run of a worker, or another process that has a log.
package struct RunSummary: Codable, Sendable, Equatable {
  package let run: String
  package let pid: Int32
  package let agent: String
  package let role: String
  /// The host on which it ran; `nil` for the coordinator's.
  package let host: String?
  package let started: Date
  package let ended: Date?
  package let outcome: String?
  /// The kind of death; `nil` when it ended normally.
  package let cause: String?
  package let tokensIn: Int
  package let tokensCached: Int
  package let tokensOut: Int
  package let log: String

  init(_ record: RunRecord) {
    run = record.id
    pid = record.pid
    agent = record.agent
    role = record.role.rawValue
    host = record.host
    started = record.started
    ended = record.ended
    outcome = record.outcome
    cause = record.cause
    tokensIn = record.tokensIn
    tokensCached = record.tokensCached
    tokensOut = record.tokensOut
    log = record.log
  }

  /// Describes a process that is not in the journal, by its log.
  init(process: String, role: String, pid: Int32, log: String) {
    (run, agent, self.role, self.pid, self.log) = (process, process, role, pid, log)
    let facts = try? FileManager.default.attributesOfItem(atPath: log)
    started = facts?[.creationDate] as? Date ?? facts?[.modificationDate] as? Date ?? Date()
    (host, ended, outcome, cause) = (nil, nil, nil, nil)
    (tokensIn, tokensCached, tokensOut) = (0, 0, 0)
  }

  /// Whether the worker lives; a pid can be reused, so the journal comes first, and alone tells of
  /// a worker on another host.
  package var isAlive: Bool { ended == nil && (host != nil || pid > 0 && kill(pid, 0) == 0) }
}
