import AgentKit
import Foundation
import GRDB
import Supervision
import Synchronization
import Testing

@testable import Coordination
@testable import Journal

/// The conversations of a coordinator, with fake workers and a journal of their own.
final class Table: Sendable {
  let folder: URL
  let workers: FakeWorkers
  let catalog: FakeCatalog
  let journal: Journal
  let sessions: Sessions

  var path: String { folder.appending(path: "journal.sqlite").path }

  /// Creates a table at which the first agent begins.
  /// - Parameter other: A table whose journal this one continues, as after a restart.
  init(
    _ scripts: KeyValuePairs<String, Script>,
    stopPatience: Duration = .seconds(30),
    fitPatience: Duration = .seconds(30),
    restarts: RestartPolicy = RestartPolicy(firstDelay: .zero),
    hostLease: Duration = .zero,
    cores: Cores? = nil,
    servers: any MCPServers = NoMCPServers(),
    tracing: Tracing = .given,
    after other: Table? = nil
  ) throws {
    let temporary = FileManager.default.temporaryDirectory
    folder = other?.folder ?? temporary.appending(path: "table-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    workers = FakeWorkers(Dictionary(scripts.map { ($0.key, $0.value) }) { _, last in last })
    catalog = FakeCatalog(scripts.map(\.key))
    journal = try Journal(path: folder.appending(path: "journal.sqlite").path)
    sessions = Sessions(
      journal: journal,
      workers: workers,
      catalog: catalog,
      servers: servers,
      cores: cores,
      stopPatience: stopPatience,
      fitPatience: fitPatience,
      restarts: restarts,
      hostLease: hostLease,
      tracing: tracing
    )
  }

  deinit {
    // Open conversations keep the journal alive, and the suite would run out of descriptors.
    try? journal.database.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Sends one prompt in the conversation "talk".
  @discardableResult
  func say(
    _ prompt: String,
    caps: String = "",
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void = { _ in }
  ) async throws -> TurnSummary {
    let bounds = try GivenCaps(caps).over(Caps())
    let summary = try await talk.respond(
      to: prompt,
      caps: bounds,
      isAttended: isAttended,
      watch: watch
    )
    return try #require(summary)
  }

  var talk: Session {
    get async throws { try await sessions.session(named: "talk") }
  }

  /// Makes the journal refuse facts of a kind.
  func breakJournal(_ kind: String) async throws {
    try await journal.database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER broken BEFORE INSERT ON fact WHEN NEW.kind = '\(kind)'
          BEGIN SELECT RAISE(ABORT, '\(kind) is broken'); END
          """
      )
    }
  }

  /// Undoes `breakJournal(_:)`.
  func mendJournal() async throws {
    try await journal.database.write { try $0.execute(sql: "DROP TRIGGER broken") }
  }

  /// Removes the end of a turn from the journal, as if it had never been written.
  func forgetEnd(of turn: Int64) async throws {
    try await journal.database.write { db in
      try db.execute(
        sql: "DELETE FROM fact WHERE turn = ? AND kind = 'ended'",
        arguments: [turn]
      )
      try db.execute(
        sql: "UPDATE turn SET exit = NULL, ended = NULL WHERE id = ?",
        arguments: [turn]
      )
    }
  }

  /// The holder of the shared conversation's baton according to the journal.
  func journaledHolder() async throws -> String? {
    try await JournalReader(journal).conversation(named: "talk")?.holder
  }

  /// The shared conversation as another process reads it now, without reverted turns.
  func words() async throws -> [String] { try await Self.words(at: path) }

  static func words(at path: String) async throws -> [String] {
    guard let reader = try JournalReader(path: path),
      let talk = try await reader.conversation(named: "talk")
    else { return [] }
    let reverted = try await reader.turns(of: talk.id).filter(\.isReverted).map(\.id)
    return try await reader.entries(of: talk.id)
      .filter { !reverted.contains($0.turn) }
      .map(\.entry.words)
  }

  /// The conversations of friends, in the order in which they began.
  func friends() async throws -> [ConversationRecord] {
    let reader = JournalReader(journal)
    var friends: [ConversationRecord] = []
    var turns = try await reader.turns(of: 1)
    while !turns.isEmpty {
      let turn = turns.removeFirst()
      for friend in try await reader.friends(of: turn.id) {
        friends.append(friend)
        turns += try await reader.turns(of: friend.id)
      }
    }
    return friends
  }
}

/// Polls until a condition holds, and records an issue at the call site on timeout.
/// - Parameter patience: Longer than any wait of these tests should take.
func eventually(
  within patience: Duration = .seconds(60),
  _ isSo: () async throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
  let deadline = ContinuousClock.now + patience
  while try await !isSo() {
    if Task.isCancelled || ContinuousClock.now > deadline {
      let seconds = patience.components.seconds
      Issue.record(
        "It was waited for \(seconds) s at most, and never came to be so.",
        sourceLocation: sourceLocation
      )
      return
    }
    // Sleep between checks: the awaited work needs the core, too.
    try? await Task.sleep(for: .milliseconds(1))
  }
}

/// A catalog whose agents can change during a conversation.
final class FakeCatalog: AgentCatalog {
  private let agents: Mutex<[LaunchableAgent]>
  private let insisted = Mutex<String?>(nil)
  private let problems = Mutex<[String: String]>([:])
  private let gate = Mutex<(asked: Signal, until: Signal)?>(nil)
  private let compilation = Mutex<(began: Signal, isUnderWay: Bool)?>(nil)

  init(_ names: [String]) {
    agents = Mutex(names.map(Self.agent))
  }

  private static func agent(_ name: String) -> LaunchableAgent {
    LaunchableAgent(
      name: name,
      plugin: "\(name)-1.so",
      model: "models/fake.gguf",
      contextSize: nil,
      declaration: .served(name)
    )
  }

  func add(_ name: String) { agents.withLock { $0.append(Self.agent(name)) } }

  func agent(named name: String) async -> LaunchableAgent? {
    let began = compilation.withLock { compilation in
      compilation?.isUnderWay = true
      return compilation?.began
    }
    if let began {
      began.fire()
      do {
        try await Task.sleep(for: .seconds(60))
      } catch {
        compilation.withLock { $0?.isUnderWay = false }
      }
    }
    return agents.withLock { $0.first { $0.name == name } }
  }

  /// Makes agents that are looked up take a minute to compile, unless that is cancelled.
  ///
  /// Returns a signal that fires when one is looked up.
  func compileSlowly() -> Signal {
    let began = Signal()
    compilation.withLock { $0 = (began, false) }
    return began
  }

  var isCompiling: Bool { compilation.withLock { $0?.isUnderWay ?? false } }

  func beginner() async -> String? {
    if let gate = gate.withLock({ $0 }) {
      gate.asked.fire()
      await gate.until.wait()
    }
    if let name = insisted.withLock({ $0 }) { return name }
    return agents.withLock { $0.first?.name }
  }

  /// Makes requests for the beginning agent wait for a signal, as for a compiler.
  ///
  /// Returns a signal that fires when such a request arrives.
  func hold(until signal: Signal) -> Signal {
    let asked = Signal()
    gate.withLock { $0 = (asked, signal) }
    return asked
  }

  /// Makes an agent begin conversations whether it exists or not.
  func insist(on name: String) { insisted.withLock { $0 = name } }

  /// Has an agent declare itself.
  func declare(_ agent: AgentDescription) {
    agents.withLock { agents in
      guard let index = agents.firstIndex(where: { $0.name == agent.name }) else { return }
      agents[index].declaration = agent
    }
  }

  func change(_ name: String, plugin: String) {
    agents.withLock { agents in
      guard let index = agents.firstIndex(where: { $0.name == name }) else { return }
      agents[index].plugin = plugin
    }
  }

  func problem(of name: String) async -> String? { problems.withLock { $0[name] } }

  /// Makes an agent that is not there one that does not compile; `nil` makes it one that is gone.
  func spoil(_ name: String, _ problem: String?) { problems.withLock { $0[name] = problem } }

  func remove(_ name: String) { agents.withLock { $0.removeAll { $0.name == name } } }
}

/// Collects the events that an observer is shown.
final class Watched: Sendable {
  private let events = Mutex<[TurnEvent]>([])

  var all: [TurnEvent] { events.withLock { $0 } }

  /// The number of turns that have ended.
  var ends: Int { all.count { if case .ended = $0 { true } else { false } } }

  func note(_ event: TurnEvent) { events.withLock { $0.append(event) } }
}

extension Cores: CoreSchedule {}
