import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct BatonTests {
  /// Passes the baton when the last prompt says so; otherwise answers.
  private static func playing(_ name: String) -> Script {
    serving { turn in
      let last = turn.order.entries.last { if case .prompt = $0 { true } else { false } }
      let words = last?.words.split(separator: " ") ?? []
      if words.count == 3, words[1] == "to", words[2] != name {
        return try await turn.pass(to: String(words[2]), callID: "\(name)-\(turn.id)")
      }
      return try await turn.answer("I am \(name).")
    }
  }

  private func table() throws -> Table {
    try Table(["a": Self.playing("a"), "b": Self.playing("b")])
  }

  @Test func `The receiver gets what it lacks and answers in the same turn`() async throws {
    let table = try table()
    let watched = Watched()
    let summary = try await table.say("to b", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.holder == "b")
    #expect(summary.answer == "I am b.")
    #expect(watched.all.contains(.batonPassed(from: "a", to: "b")))
    let giver = try #require(table.workers.of("a").first)
    let receiver = try #require(table.workers.of("b").first)
    #expect(receiver.orders.map(\.kept) == [0])
    #expect(
      receiver.orders.map { $0.added.map(\.words) } == [
        ["prompt: to b", "calls: pass_baton", "output: The baton is now with b."]
      ]
    )
    #expect(!giver.hasEnded)
    let batons = try await JournalReader(table.journal).batons(of: summary.turn)
    #expect(batons.map { [$0.from, $0.to] } == [["a", "b"]])
  }

  @Test func `Back again, only what was not seen is sent`() async throws {
    let table = try table()
    try await table.say("to b")
    let summary = try await table.say("to a")
    #expect(summary.holder == "a")
    #expect(table.workers.launched.count == 2)
    let first = try #require(table.workers.of("a").first)
    #expect(first.orders.map(\.kept) == [0, 3])
    #expect(
      first.orders.last?.added.map(\.words) == [
        "response: I am b.", "prompt: to a", "calls: pass_baton",
        "output: The baton is now with a.",
      ]
    )
    #expect(first.entries.map(\.words) == (try await table.words()))
  }

  @Test func `The baton cannot go to an agent that does not exist`() async throws {
    let table = try table()
    let watched = Watched()
    let summary = try await table.say("to nobody", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.holder == "a")
    #expect(summary.answer == "I keep it.")
    let refusal = "There is no agent named 'nobody'."
    #expect(table.workers.of("a").first?.refusals == [refusal])
    #expect(watched.all.contains(.trouble("The baton stays with a. \(refusal)")))
  }

  @Test func `An agent that passes the baton to itself is told that it has it, and answers`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "pass_baton"), tokens: 2)
        #expect(try await turn.passBaton(to: "a", callID: "1") == "a")
        try await turn.record(.output("1", "pass_baton", "refused"))
        return try await turn.answer("I am a.")
      }
    ])
    let summary = try await table.say("go")
    #expect(summary.answer == "I am a.")
    let refusal = "You already hold the baton. Answer yourself, or pass it to another agent."
    #expect(table.workers.launched.first?.refusals == [refusal])
    #expect(try await JournalReader(table.journal).batons(of: summary.turn).isEmpty)
  }

  @Test func `A second pass of the same round finds the baton gone`() async throws {
    let holders = Mutex<[String]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1", "2"], "pass_baton"))
        for (id, agent) in [("1", "b"), ("2", "c")] {
          let holder = try await turn.passBaton(to: agent, callID: id)
          holders.withLock { $0.append(holder) }
          try await turn.record(.output(id, "pass_baton", holder))
        }
        return .passed
      },
      "b": answering("I am b."), "c": answering("I am c."),
    ])
    let summary = try await table.say("go")
    #expect(summary.answer == "I am b.")
    #expect(holders.withLock { $0 } == ["b", "b"])
    #expect(table.workers.of("c").isEmpty)
  }

  @Test func `A worker that says it has passed the baton, and has not, fails the turn`()
    async throws
  {
    let table = try Table(["a": serving { _ in .passed }])
    let summary = try await table.say("go")
    #expect(
      summary.exit == .failed("'a' ended its part of the turn without passing the baton.")
    )
    #expect(table.workers.launched.first?.orders.count == 1)
  }

  @Test func `A turn that fails after a pass gives the baton back`() async throws {
    let table = try Table([
      "a": Self.playing("a"),
      "b": serving { _ in .failed(problem: "no model", keepsEntries: false) },
    ])
    let failed = try await table.say("to b")
    #expect(failed.exit == .failed("no model"))
    #expect(failed.holder == "a")
    let next = try await table.say("hello")
    #expect(next.answer == "I am a.")
    let worker = try #require(table.workers.of("a").first)
    #expect(worker.orders.map(\.kept) == [0, 0])
    #expect(worker.orders.last?.added.map(\.words) == ["prompt: hello"])
  }

  @Test func `A giver that dies once it has passed the baton does not end the turn`()
    async throws
  {
    let gate = Signal()
    let table = try Table(["a": answering(""), "b": answering("I am b.")])
    let workers = table.workers
    workers.play("a") { [weak workers] worker in
      try worker.sayReady()
      let message = try await worker.hear { if case .turn = $0 { true } else { false } }
      guard case .turn(let order) = message else { return }
      try worker.begin(order)
      let ending = try await FakeTurn(worker: worker, order: order).pass(to: "b", callID: "1")
      workers?.hold(until: gate)
      try worker.say(.ended(turn: order.turn, ending))
      worker.end(.signaled(11))
    }
    async let summary = table.say("go")
    try await eventually {
      try await JournalReader(table.journal).runs().first?.outcome != nil
    }
    gate.fire()
    #expect(try await summary.answer == "I am b.")
  }
}

/// Passes to agents that cannot take the baton.
@Suite(.timeLimit(.minutes(5)))
struct RefusedBatonTests {
  private static let passing: Script = serving { try await $0.pass(to: "b", callID: "1") }

  @Test func `An agent whose window is too small leaves the baton where it is, with figures`()
    async throws
  {
    let table = try Table(["a": Self.passing, "b": answering("never")])
    table.workers.fit("b", ContextFit(tokens: 5000, window: 4096))
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.holder == "a")
    #expect(summary.answer == "I keep it.")
    let reason =
      "b cannot take the baton: the conversation needs at least 5000 tokens, and its context holds"
      + " 4096. Answer yourself, or phone it instead."
    #expect(table.workers.of("a").first?.refusals == [reason])
    #expect(watched.all.contains(.trouble("The baton stays with a. \(reason)")))
    #expect(try await JournalReader(table.journal).batons(of: summary.turn).isEmpty)
    // It measured the whole conversation but was never given a turn.
    let receiver = try #require(table.workers.of("b").first)
    #expect(
      receiver.measured.map { $0.added.map(\.words) } == [["prompt: go", "calls: pass_baton"]]
    )
    #expect(receiver.orders.isEmpty)
  }

  @Test func `What an agent was told when it was asked is told anew when it has changed back`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        for phase in ["plan", "build", "plan"] {
          try await turn.write(["phase": phase])
          _ = try await turn.pass(to: "b", callID: "\(turn.id) \(phase)")
        }
        return try await turn.answer("I keep it.")
      },
      "b": answering("never"),
    ])
    table.workers.fit("b", ContextFit(tokens: 5000, window: 4096))
    try await table.say("go")
    let receiver = try #require(table.workers.of("b").first)
    #expect(receiver.measured.map { $0.properties["phase"] } == ["plan", "build", "plan"])
  }

  @Test(arguments: [(100, 0), (4080, 4096), (0, 1)])
  func `An agent takes the baton when there is room for an answer, or the room is unknown`(
    tokens: Int,
    window: Int
  ) async throws {
    let table = try Table(["a": Self.passing, "b": answering("I am b.")])
    table.workers.fit("b", ContextFit(tokens: tokens, window: window))
    let fits = window == 0 || tokens + 16 <= window
    #expect(try await table.say("go").holder == (fits ? "b" : "a"))
  }

  @Test func `An agent whose worker dies when it is asked leaves the baton where it is`()
    async throws
  {
    let table = try Table(["a": Self.passing, "b": answering("never")])
    table.workers.fit("b", nil)
    table.workers.play("b") { $0.end(.signaled(11)) }
    let summary = try await table.say("go")
    #expect(summary.holder == "a")
    #expect(summary.answer == "I keep it.")
    let refusal = try #require(table.workers.of("a").first?.refusals.first)
    #expect(refusal.hasPrefix("b cannot take the baton: it"), "\(refusal)")
  }

  @Test func `A tool that passes the baton again and again starts only a few workers that die`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "pass_baton"))
        for _ in 0..<20 { _ = try await turn.passBaton(to: "b", callID: "1") }
        return try await turn.answer("I keep it.")
      },
      "b": answering("never"),
    ])
    table.workers.fit("b", nil)
    table.workers.play("b") { $0.end(.signaled(11)) }
    #expect(try await table.say("go").answer == "I keep it.")
    #expect(table.workers.of("b").count == RestartPolicy().maximum + 1)
    let refusals = try #require(table.workers.of("a").first?.refusals)
    #expect(refusals.count == 20)
    #expect(refusals.last?.hasSuffix("its workers have died too often in a short time.") == true)
  }

  @Test func `An agent whose worker does not answer when it is asked leaves the baton where it is`()
    async throws
  {
    let table = try Table(
      ["a": Self.passing, "b": answering("I am b.")],
      fitPatience: .milliseconds(20)
    )
    table.workers.fit("b", nil)
    let summary = try await table.say("go")
    #expect(summary.exit == .answered)
    #expect(summary.holder == "a")
    let refusal = try #require(table.workers.of("a").first?.refusals.first)
    #expect(refusal.hasPrefix("b cannot take the baton: it did not say within "), "\(refusal)")
    #expect(table.workers.of("b").map(\.wasKilled) == [true])
    // The next worker of the same agent is asked like any other, and has no limit while it loads.
    table.workers.fit("b", ContextFit(tokens: 0, window: 0))
    table.workers.play("b", serving(saysReady: false) { try await $0.answer("I am b.") })
    #expect(try await table.say("go").holder == "b")
  }

  @Test func `A turn that is stopped while an agent is asked ends, and passes nothing`()
    async throws
  {
    let table = try Table(["a": Self.passing, "b": answering("never")])
    let gate = Signal()
    table.workers.hold("b", until: gate)
    async let summary = table.say("go")
    try await eventually { try await table.words().contains("calls: pass_baton") }
    await (try table.talk).cancel()
    gate.fire()
    #expect(try await summary.exit == .cancelled)
    #expect(try await summary.holder == "a")
  }
}
