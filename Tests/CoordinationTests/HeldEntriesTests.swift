import AgentKit
import Dispatch
import Journal
import Testing
import Wire

@testable import Coordination

/// Entries that a worker sends without waiting.
@Suite(.timeLimit(.minutes(5)))
struct HeldEntriesTests {
  /// A worker that makes calls, sends their outputs and then continues with `then`.
  private func table(
    calls: Int = 1,
    stopPatience: Duration = .zero,
    entryPatience: Duration = .ages,
    _ then: @escaping @Sendable (FakeTurn) async throws -> TurnEnding
  ) throws -> Table {
    try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          let ids = (1...calls).map { "\($0)" }
          try await turn.record(.calls(ids, "look"), tokens: 1)
          for id in ids { try turn.tell(.output(id, "look", "nothing \(id)")) }
          return try await then(turn)
        }
      ],
      stopPatience: stopPatience,
      entryPatience: entryPatience
    )
  }

  @Test func `They are in the journal before what follows them, when that is answered`()
    async throws
  {
    let table = try table { turn in
      try await turn.record(.response("There is nothing."), tokens: 1)
      return .answered
    }
    #expect(try await table.say("look").exit == .answered)
    #expect(
      try await table.said()
        == ["calls: look", "output: nothing 1", "response: There is nothing."]
    )
  }

  @Test func `They are in the journal soon where nothing follows them`() async throws {
    let table = try table(entryPatience: .milliseconds(5)) { turn in
      try await turn.worker.hang()
    }
    let watched = Watched()
    async let turn = table.say("look", watch: watched.note)
    await eventually {
      watched.all.contains { if case .toolOutput = $0 { true } else { false } }
    }
    #expect(try await table.said() == ["calls: look", "output: nothing 1"])
    try await table.talk.cancel()
    #expect(try await turn.exit == .cancelled)
  }

  @Test func `What is being written is waited for by what follows it`() async throws {
    let (called, mayTell, mayAsk, settled) = (Signal(), Signal(), Signal(), Signal())
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"), tokens: 1)
          called.fire()
          await mayTell.wait()
          try turn.tell(.output("1", "look", "a boat"))
          await mayAsk.wait()
          try await turn.settle()
          settled.fire()
          return try await turn.answer("It was a boat.")
        }
      ],
      entryPatience: .milliseconds(5)
    )
    async let turn = table.say("look")
    await called.wait()
    let written = DispatchSemaphore(value: 0)
    await table.holdJournal(until: written)
    mayTell.fire()
    let talk = try await table.talk
    await eventually { await talk.heldWrite != nil }
    mayAsk.fire()
    let worker = try #require(table.workers.of("a").first)
    await eventually { worker.asked[.settling] == 1 }
    #expect(!worker.heard.contains { if case .settled = $0 { true } else { false } })
    written.signal()
    await settled.wait()
    #expect(try await table.said().prefix(2) == ["calls: look", "output: a boat"])
    #expect(try await turn.exit == .answered)
  }

  @Test func `They are in the journal when their worker hears that they are`() async throws {
    let (heard, looked) = (Signal(), Signal())
    let table = try table { turn in
      try await turn.settle()
      heard.fire()
      await looked.wait()
      return try await turn.answer("There is nothing.")
    }
    async let turn = table.say("look")
    await heard.wait()
    #expect(try await table.said() == ["calls: look", "output: nothing 1"])
    looked.fire()
    #expect(try await turn.exit == .answered)
  }

  @Test func `They are in the journal before a request is admitted`() async throws {
    let (heard, looked) = (Signal(), Signal())
    let table = try table { turn in
      try await turn.admission()
      heard.fire()
      await looked.wait()
      try await turn.record(.response("There is nothing."), tokens: 1)
      return .answered
    }
    async let turn = table.say("look")
    await heard.wait()
    #expect(try await table.said() == ["calls: look", "output: nothing 1"])
    looked.fire()
    #expect(try await turn.exit == .answered)
  }

  @Test(arguments: [1, 16, 17, 100])
  func `However many they are, they are there in their order`(count: Int) async throws {
    let table = try table(calls: count) { try await $0.answer("There is nothing.") }
    #expect(try await table.say("look", caps: "calls=200").exit == .answered)
    let outputs = try await table.said().filter { $0.hasPrefix("output") }
    #expect(outputs == (1...count).map { "output: nothing \($0)" })
  }

  @Test func `One that took tokens is counted before a request is made`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"), tokens: 1)
        try turn.tell(.output("1", "ask", "The Boat"), tokens: 20)
        try await turn.admission()
        return try await turn.answer("The Boat")
      }
    ])
    let summary = try await table.say("go", caps: "tokens=15,policy=fail")
    #expect(summary.exit == .cap("tokens"))
  }

  @Test func `What a worker told before it died is kept, and known to the next`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"), tokens: 1)
          try turn.tell(.output("1", "look", "a boat"))
          turn.worker.end(.signaled(11))
          throw WorkerGone()
        },
        { turn in
          #expect(turn.order.added.last?.words == "output: a boat")
          #expect(turn.order.openCalls.isEmpty)
          return try await turn.answer("It was a boat.")
        }
      )
    ])
    #expect(try await table.say("look").answer == "It was a boat.")
    #expect(
      try await table.said() == ["calls: look", "output: a boat", "response: It was a boat."]
    )
  }

  @Test func `What a worker told before its turn was stopped is kept`() async throws {
    let table = try table { try await $0.worker.hang() }
    let prompt = Task { try await table.say("look") }
    try await table.expectHeld()
    try await table.talk.cancel()
    #expect(try await prompt.value.exit == .cancelled)
    let reader = JournalReader(table.journal)
    let talk = try #require(try await reader.conversation(named: "talk"))
    // The turn was reverted, but its entries remain in the journal.
    let entries = try await reader.entries(of: talk.id).map(\.entry.words)
    #expect(entries == ["prompt: look", "calls: look", "output: nothing 1"])
    await table.conversations.close()
  }

  @Test func `A second output of a call is not taken while the first is held`() async throws {
    let table = try table { turn in
      try turn.tell(.output("1", "look", "nothing again"))
      try await turn.settle()
      return try await turn.answer("There is nothing.")
    }
    let refusal = ConversationError.strayOutput("1", agent: "a")
    #expect(try await table.say("look").exit == .failed("\(refusal)"))
    // What is journaled twice would be a flaw also where the turn is taken back.
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
  }

  @Test func `Who does not wait for its calls has lost its way`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try turn.tell(.call("1", "look"))
        try await turn.worker.hang()
      }
    ])
    let summary = try await table.say("look")
    #expect(
      summary.exit == .failed("The worker of 'a' did not wait for its calls to be journaled.")
    )
    #expect(try await table.words().contains("calls: look") == false)
  }
}

extension Duration {
  /// So long that nothing is written merely because time has passed.
  static var ages: Duration { .seconds(3600) }
}

extension Table {
  /// The content of the journal, without the prompt.
  func said() async throws -> [String] { try await Array(words().dropFirst()) }

  /// Waits until an entry is held.
  func expectHeld() async throws {
    let talk = try await talk
    await eventually { await talk.holdsEntries }
  }
}

extension Conversation {
  fileprivate var holdsEntries: Bool { turn?.held != nil }
}
