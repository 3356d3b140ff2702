import AgentKit
import Dispatch
import Journal
import Testing
import Wire

@testable import Coordination

/// Entries that a worker does not wait for.
@Suite(.timeLimit(.minutes(5)))
struct HeldEntriesTests {
  /// What the journal of a table holds, without the prompt.
  private func said(_ table: Table) async throws -> [String] {
    try await Array(table.words().dropFirst())
  }

  /// So long that nothing is written only because time has passed.
  private static let long = Duration.seconds(3600)

  /// A worker that has made calls and tells their outputs, and then does something.
  private func table(
    calls: Int = 1,
    stopPatience: Duration = .zero,
    entryPatience: Duration = long,
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

  /// Waits until something is held, or nothing.
  private func expectHeld(_ isHeld: Bool, at table: Table) async throws {
    let talk = try await table.talk
    await eventually { await (talk.turn?.held != nil) == isHeld }
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
      try await said(table)
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
    #expect(try await said(table) == ["calls: look", "output: nothing 1"])
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
    #expect(try await said(table).prefix(2) == ["calls: look", "output: a boat"])
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
    #expect(try await said(table) == ["calls: look", "output: nothing 1"])
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
    #expect(try await said(table) == ["calls: look", "output: nothing 1"])
    looked.fire()
    #expect(try await turn.exit == .answered)
  }

  @Test(arguments: [1, 16, 17, 100])
  func `However many they are, they are there in their order`(count: Int) async throws {
    let table = try table(calls: count) { try await $0.answer("There is nothing.") }
    #expect(try await table.say("look", caps: "calls=200").exit == .answered)
    let outputs = try await said(table).filter { $0.hasPrefix("output") }
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
      try await said(table) == ["calls: look", "output: a boat", "response: It was a boat."]
    )
  }

  @Test func `What a worker told before its turn was stopped is kept`() async throws {
    let table = try table { try await $0.worker.hang() }
    let prompt = Task { try await table.say("look") }
    try await expectHeld(true, at: table)
    try await table.talk.cancel()
    #expect(try await prompt.value.exit == .cancelled)
    let reader = JournalReader(table.journal)
    let talk = try #require(try await reader.conversation(named: "talk"))
    // Taken back, and there.
    let entries = try await reader.entries(of: talk.id).map(\.entry.words)
    #expect(entries == ["prompt: look", "calls: look", "output: nothing 1"])
    await table.conversations.close()
  }

  @Test(arguments: [Self.long, .milliseconds(5)])
  func `Where they cannot be written, the turn ends and its worker with it`(
    patience: Duration
  ) async throws {
    let (told, broken) = (Signal(), Signal())
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"), tokens: 1)
          told.fire()
          await broken.wait()
          try turn.tell(.output("1", "look", "a boat"))
          try await turn.settle()
          return try await turn.answer("It was a boat.")
        }
      ],
      entryPatience: patience
    )
    let prompt = Task { try await table.say("look") }
    await told.wait()
    try await table.breakJournal("entry")
    broken.fire()
    guard case .failed(let problem) = try await prompt.value.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(problem.contains("entry"))
    await eventually { table.workers.of("a").map(\.wasRetired) == [true] }
    let heard = try #require(table.workers.of("a").first).heard
    #expect(!heard.contains { if case .settled = $0 { true } else { false } })
  }

  /// Two workers: the second has the baton, and has told what is held; it goes on when it may.
  private func two(
    mayGoOn: Signal,
    _ then: @escaping @Sendable (FakeTurn) async throws -> TurnEnding
  ) throws -> Table {
    try Table(
      [
        "a": serving { try await $0.pass(to: "b", callID: "p") },
        "b": lives(
          { turn in
            try await turn.admission()
            try await turn.record(.call("1", "look"), tokens: 1)
            try turn.tell(.output("1", "look", "a boat"))
            await mayGoOn.wait()
            return try await then(turn)
          },
          { turn in
            #expect(turn.order.added.last?.words == "output: a boat")
            return try await turn.answer("It was a boat.")
          }
        ),
      ],
      entryPatience: Self.long
    )
  }

  @Test func `Another worker's word does not have them written`() async throws {
    let mayGoOn = Signal()
    let table = try two(mayGoOn: mayGoOn) { turn in
      turn.worker.end(.signaled(11))
      throw WorkerGone()
    }
    async let turn = table.say("look")
    try await expectHeld(true, at: table)
    let written = DispatchSemaphore(value: 0)
    await table.holdJournal(until: written)
    try #require(table.workers.of("a").first).say(.pong(1))
    mayGoOn.fire()
    written.signal()
    #expect(try await turn.answer == "It was a boat.")
    let outputs = try await said(table).filter { $0.hasPrefix("output: a boat") }
    #expect(outputs.count == 1)
  }

  @Test func `Another worker does not answer for it where they cannot be written`() async throws {
    let mayGoOn = Signal()
    let table = try two(mayGoOn: mayGoOn) { turn in
      try await turn.settle()
      return try await turn.answer("It was a boat.")
    }
    let prompt = Task { try await table.say("look") }
    try await expectHeld(true, at: table)
    try await table.breakJournal("entry")
    let other = try #require(table.workers.of("a").first)
    try other.say(.pong(1))
    mayGoOn.fire()
    guard case .failed = try await prompt.value.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    await eventually { table.workers.of("b").map(\.wasRetired) == [true] }
    #expect(!other.wasRetired)
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
      summary.exit == .failed("The worker of 'a' did not wait until its calls were journaled.")
    )
    #expect(try await table.words().contains("calls: look") == false)
  }
}
