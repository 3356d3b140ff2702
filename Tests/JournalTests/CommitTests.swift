import AgentKit
import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing

@testable import Journal

/// What is written by one transaction.
@Suite(.timeLimit(.minutes(1))) struct `Appends` {
  /// Counts commits.
  private final class Counter: TransactionObserver, Sendable {
    let count = Mutex(0)

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { count.withLock { $0 += 1 } }
    func databaseDidRollback(_ db: Database) {}
  }

  /// Appends texts one by one while the journal is busy, so that all of them wait for it.
  /// - Parameter conversations: The conversation of each, and its turn.
  /// - Returns: What came of each, and how many commits they took.
  private static func append(
    _ texts: [String],
    to journal: Journal,
    in conversations: [(conversation: Int64, turn: Int64)]
  ) async throws -> (results: [Result<[Fact], any Error>], commits: Int) {
    let counter = Counter()
    journal.database.add(transactionObserver: counter)
    let gate = DispatchSemaphore(value: 0)
    journal.database.asyncWriteWithoutTransaction { _ in gate.wait() }
    // Each of these runs until it waits for the journal.
    let tasks = zip(texts, conversations).map { text, place in
      Task.immediate {
        let event = Fact.Event.recorded(try RawEntry(.response(text)), nil)
        return try await journal.append([event], in: place.conversation, turn: place.turn)
      }
    }
    gate.signal()
    var results: [Result<[Fact], any Error>] = []
    for task in tasks { results.append(await task.result) }
    return (results, counter.count.withLock(\.self))
  }

  private static func texts(_ journal: Journal, _ conversation: Int64) async throws -> [String] {
    try await JournalReader(journal).entries(of: conversation).dropFirst()
      .map(\.entry.description)
  }

  @Test func `that wait at the same time take one commit, in their order`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let talk = try await journal.beginTalk()
    let texts = (0..<20).map(String.init)
    let places = texts.map { _ in talk }
    let (results, commits) = try await Self.append(texts, to: journal, in: places)
    #expect(commits == 1)
    let facts = try results.flatMap { try $0.get() }
    let read = try await JournalReader(journal).facts(of: talk.conversation, turn: talk.turn)
    #expect(facts == Array(read.dropFirst()))
    #expect(try await Self.texts(journal, talk.conversation) == texts)
  }

  @Test func `that wait one after another take a commit each`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let counter = Counter()
    journal.database.add(transactionObserver: counter)
    for _ in 0..<3 { try await journal.append(.response("one"), in: conversation, turn: turn) }
    #expect(counter.count.withLock(\.self) == 3)
  }

  @Test func `fail alone`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let talk = try await journal.beginTalk()
    let places = [talk, (999, 999), talk]
    let (results, commits) = try await Self.append(["1", "2", "3"], to: journal, in: places)
    #expect(commits == 1)
    #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
    #expect(throws: JournalError.self) { try results[1].get() }
    #expect(try await Self.texts(journal, talk.conversation) == ["1", "3"])
    #expect(try await JournalReader(journal).inspect().flaws == [])
  }

  @Test func `fail alone, even if the database takes the whole transaction back`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let talk = try await journal.beginTalk()
    try await journal.database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refusal BEFORE INSERT ON fact WHEN NEW.payload LIKE '%second%'
          BEGIN SELECT RAISE(ROLLBACK, 'no'); END
          """
      )
    }
    let texts = ["first", "second", "third"]
    let places = texts.map { _ in talk }
    let (results, _) = try await Self.append(texts, to: journal, in: places)
    #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
    #expect(try await Self.texts(journal, talk.conversation) == ["first", "third"])
  }

  @Test func `write all of their facts, or none`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let pass = Fact.Event.passedBaton(BatonPass(from: "a", to: "b", callID: nil))
    try await journal.refuse("resumed")
    await #expect(throws: JournalError.self) {
      try await journal.append([pass, .resumed(spent: 1)], in: conversation, turn: turn)
    }
    try await journal.database.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    let reader = JournalReader(journal)
    #expect(try await reader.facts(of: conversation, turn: turn).count == 1)
    #expect(try await reader.conversation(named: "talk")?.holder == "a")
    #expect(try await reader.inspect().flaws == [])
  }

  @Test func `of what no fact can hold are refused`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for spent in [-1, 1e300, .nan, .infinity] {
      await #expect(throws: (any Error).self) {
        try await journal.append([.resumed(spent: spent)], in: conversation, turn: turn)
      }
    }
    await #expect(throws: (any Error).self) {
      try await journal.append([.resumed(spent: 1)], in: conversation)
    }
    let (other, _) = try await journal.beginTalk("other")
    await #expect(throws: JournalError.self) {
      try await journal.append([.resumed(spent: 1)], in: other, turn: turn)
    }
    #expect(try await JournalReader(journal).facts(of: conversation).count == 2)
  }

  @Test func `to a journal that is closed are refused`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try journal.close()
    await #expect(throws: JournalError.self) {
      try await journal.append(.response("late"), in: conversation, turn: turn)
    }
    #expect(try await file.reader().entries(of: conversation).count == 1)
  }
}
