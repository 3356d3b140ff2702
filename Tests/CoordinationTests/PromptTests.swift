import AgentKit
import Foundation
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct PromptTests {
  @Test func `One that is longer than any window is refused, and journaled nowhere`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    let limit = RawEntry.maximumPromptBytes
    let words = String(repeating: "x", count: limit + 1)
    await #expect(throws: ConversationError.promptTooLarge(bytes: limit + 1, limit: limit)) {
      try await table.say(words)
    }
    #expect(try await table.words().isEmpty)
    #expect(try await table.say(String(words.dropLast())).answer == "hello")
  }

  @Test func `Text beside calls is no answer of a turn that failed`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.response("I look."))
        try await turn.record(.call("1", "look"), tokens: 3)
        return .failed(problem: "It is dark.", keepsEntries: true)
      }
    ])
    let summary = try await table.say("go")
    #expect(summary.exit == .failed("It is dark."))
    #expect(summary.answer == nil)
  }

  @Test func `What is said beside calls is told, and not as the answer`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.response("I look."))
        try await turn.record(.call("1", "look"), tokens: 3)
        try await turn.record(.output("1", "look", "seen"))
        return try await turn.answer("I see.")
      }
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.answer == "I see.")
    #expect(Self.words(of: watched) == ["said: I look.", "answered: I see."])
  }

  @Test func `An answer that a tool gives is told as one, although no request ends with it`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.response("I look."))
        try await turn.record(.call("1", "look"), tokens: 3)
        try await turn.record(.output("1", "look", "The turn ends here."))
        // A worker records the tool's answer with no tokens, because no request was made for it.
        try await turn.record(.response("It is open."), tokens: 0)
        return .finalAnswer
      }
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.exit == .finalAnswer)
    #expect(summary.answer == "It is open.")
    #expect(Self.words(of: watched) == ["said: I look.", "answered: It is open."])
  }

  @Test func `Only what was said last is told as the answer`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.response("I think so."))
        try await turn.record(.response("It is so."), tokens: 3)
        return .answered
      }
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.answer == "It is so.")
    #expect(Self.words(of: watched) == ["said: I think so.", "answered: It is so."])
  }

  /// Lists what was reported of the agent's own text.
  private static func words(of watched: Watched) -> [String] {
    watched.all.compactMap { event in
      switch event {
      case .said(_, let text): "said: \(text)"
      case .answered(_, let text): "answered: \(text)"
      default: nil
      }
    }
  }

  @Test func `A prompt is answered, and everything is told and journaled`() async throws {
    let table = try Table(["a": answering("hello")])
    let watched = Watched()
    let summary = try await table.say("hi", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.answer == "hello")
    #expect(summary.holder == "a")
    #expect(summary.usage.tokensOut == 3)
    #expect(
      watched.all == [
        .accepted(turn: summary.turn, conversation: "talk"),
        .answered(agent: "a", text: "hello"),
        .ended(summary),
      ]
    )
    #expect(try await table.words() == ["prompt: hi", "response: hello"])
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.answered])
    let runs = try await JournalReader(table.journal).runs()
    #expect(runs.map(\.tokensOut) == [3])
    #expect(runs.map(\.model) == ["fake.gguf"])
  }

  @Test func `A prompt is on disk before the worker hears of it`() async throws {
    let table = try Table(["a": answering("")])
    let path = table.path
    let onDisk = Mutex<[String]>([])
    table.workers.play(
      "a",
      serving { turn in
        let words = try await Table.words(at: path)
        onDisk.withLock { $0 = words }
        return try await turn.answer("hello")
      }
    )
    try await table.say("hi")
    #expect(onDisk.withLock { $0 } == ["prompt: hi"])
  }

  @Test func `An entry is on disk before the worker may go on`() async throws {
    let table = try Table(["a": answering("")])
    let path = table.path
    let onDisk = Mutex<[[String]]>([])
    table.workers.play(
      "a",
      serving { turn in
        try await turn.admission()
        for entry in [Transcript.Entry.call("1", "look"), .output("1", "look", "seen")] {
          try await turn.record(entry)
          let words = try await Table.words(at: path)
          onDisk.withLock { $0.append(words) }
        }
        return try await turn.answer("hello")
      }
    )
    try await table.say("hi")
    #expect(
      onDisk.withLock { $0 } == [
        ["prompt: hi", "calls: look"], ["prompt: hi", "calls: look", "output: seen"],
      ]
    )
  }

  @Test func `The second prompt goes to the same worker, with nothing that it has`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    try await table.say("two")
    let worker = try #require(table.workers.launched.first)
    #expect(table.workers.launched.count == 1)
    #expect(worker.orders.map(\.kept) == [0, 2])
    #expect(worker.orders.map { $0.added.map(\.words) } == [["prompt: one"], ["prompt: two"]])
  }

  @Test func `A changed plugin gets a new worker, and the old one is retired`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    table.catalog.change("a", plugin: "a-2.so")
    try await table.say("two")
    let workers = table.workers.launched
    #expect(workers.map(\.agent.plugin) == ["a-1.so", "a-2.so"])
    #expect(workers[1].orders.map(\.kept) == [0])
    #expect(workers[1].orders.map(\.added.count) == [3])
    await eventually { workers[0].wasRetired }
    #expect(!workers[1].wasRetired)
  }

  @Test func `With no agent left the turn fails and says so`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    table.catalog.remove("a")
    let summary = try await table.say("two")
    #expect(summary.exit == .failed("There is no longer an agent named 'a'."))
  }

  @Test func `A worker that cannot be launched fails the turn`() async throws {
    let table = try Table(["a": answering("hello")])
    table.workers.fail(with: WorkerGone())
    let summary = try await table.say("one")
    #expect(summary.exit == .failed("WorkerGone()"))
    #expect(try await table.words().isEmpty)
  }

  @Test func `A text that grows is shown to those who watch`() async throws {
    let change = TextChange(entryID: "1", isReasoning: false, keptBytes: 0, added: "hel")
    let table = try Table([
      "a": serving { turn in
        try turn.worker.say(.text(turn: turn.id, change))
        return try await turn.answer("hello")
      }
    ])
    let watched = Watched()
    try await table.say("hi", watch: watched.note)
    #expect(watched.all.contains(.text(agent: "a", change)))
  }
}
