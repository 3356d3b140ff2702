import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

/// A worker that dies in the middle of a turn is replaced.
@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
  private static func die(_ turn: FakeTurn) throws -> Never {
    turn.worker.end(.signaled(11), lastLines: ["Segmentation fault"])
    throw WorkerGone()
  }

  @Test func `The turn goes on from the last entry in a fresh worker`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.admission()
          try await turn.record(.call("1", "look"))
          try await turn.record(.output("1", "look", "seen"))
          let text = TextChange(entryID: "x", isReasoning: false, keptBytes: 0, added: "I s")
          try turn.worker.say(.text(turn: turn.id, text))
          try Self.die(turn)
        },
        { try await $0.answer("I see.") }
      )
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.answer == "I see.")
    let orders = table.workers.launched.flatMap(\.orders)
    #expect(orders.map(\.kept) == [0, 0])
    #expect(
      orders.last?.added.map(\.words) == ["prompt: go", "calls: look", "output: seen"]
    )
    #expect(orders.last?.openCalls == [:])
    let kept = try await JournalReader(table.journal).deaths(of: 1)
    #expect(kept.map(\.cause) == ["it was killed by signal 11"])
    #expect(kept.map(\.lastLines) == [["Segmentation fault"]])
    #expect(kept.map(\.partialText) == ["I s"])
    let death = "it was killed by signal 11. Its last log line: Segmentation fault."
    #expect(watched.all.count { $0 == .workerReplaced(agent: "a", death: death) } == 1)
    #expect(watched.all.count { $0 == .answered(agent: "a", text: "I see.") } == 1)
    #expect(
      try await table.words() == [
        "prompt: go", "calls: look", "output: seen", "response: I see.",
      ]
    )
  }

  @Test func `The new worker is told how far the calls had come`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.admission()
          try await turn.record(.calls(["1", "2", "3"], "look"))
          try await turn.record(.output("1", "look", "seen"))
          try Self.die(turn)
        },
        { try await $0.answer("I see.") }
      )
    ])
    try await table.say("go", caps: "calls=2")
    let orders = table.workers.launched.flatMap(\.orders)
    #expect(orders.map(\.openCalls) == [[:], ["2": .perhapsRun, "3": .refused]])
  }

  @Test func `A friend on the phone goes on, and its answer goes to the new worker`()
    async throws
  {
    let (phoned, replaced) = (Signal(), Signal())
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.call("1", "ask"))
          async let answer = turn.phone("title", "a boat", callID: "1")
          await phoned.wait()
          turn.worker.end(.signaled(9))
          _ = try await answer
          throw WorkerGone()
        },
        { turn in
          replaced.fire()
          let answer = try await turn.phone("title", "a boat", callID: "1")
          return try await turn.answer(answer.text ?? "")
        }
      ),
      "title": serving { turn in
        phoned.fire()
        await replaced.wait()
        return try await turn.answer("The Boat")
      },
    ])
    let summary = try await table.say("go")
    #expect(summary.answer == "The Boat")
    #expect(table.workers.of("title").count == 1)
    #expect(try await table.friends().count == 1)
  }

  @Test func `A giver that dies before its pass has an output finishes its part`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.call("1", "pass_baton"))
          _ = try await turn.passBaton(to: "b", callID: "1")
          try Self.die(turn)
        },
        { turn in
          let holder = try await turn.passBaton(to: "b", callID: "1")
          try await turn.record(.output("1", "pass_baton", "with \(holder)"))
          return .passed
        }
      ),
      "b": answering("I am b."),
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.answer == "I am b.")
    #expect(summary.holder == "b")
    #expect(watched.all.count { $0 == .batonPassed(from: "a", to: "b") } == 1)
    let words = ["prompt: go", "calls: pass_baton", "output: with b", "response: I am b."]
    #expect(try await table.words() == words)
    #expect(try await JournalReader(table.journal).batons(of: summary.turn).count == 1)
  }

  @Test func `A giver that dies after its pass has an output is told that it has passed`()
    async throws
  {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.calls(["1", "2"], "pass_baton"))
          _ = try await turn.passBaton(to: "b", callID: "1")
          try await turn.record(.output("1", "pass_baton", "with b"))
          try Self.die(turn)
        },
        { turn in
          try await turn.record(.output("2", "pass_baton", "gone"))
          return turn.order.hasPassedBaton ? .passed : try await turn.answer("I am a.")
        }
      ),
      "b": answering("I am b."),
    ])
    #expect(try await table.say("go").answer == "I am b.")
  }

  @Test func `An answer that is journaled ends the turn, whatever became of its worker`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        _ = try await turn.answer("hello")
        try Self.die(turn)
      }
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.answer == "hello")
    #expect(table.workers.launched.count == 1)
    #expect(watched.all.count { $0 == .answered(agent: "a", text: "hello") } == 1)
    #expect(try await table.words() == ["prompt: go", "response: hello"])
  }

  @Test func `Text beside calls is no answer`() async throws {
    let table = try Table([
      "a": lives(
        { turn in
          try await turn.record(.response("Let me look."))
          try Self.die(turn)
        },
        { try await $0.answer("I see.") }
      )
    ])
    #expect(try await table.say("go").answer == "I see.")
  }

  @Test func `So many deaths in so short a time, and the turn fails`() async throws {
    let table = try Table(["a": serving { try Self.die($0) }])
    guard case .failed(let problem) = try await table.say("go").exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(problem.hasPrefix("The worker of 'a' died: it was killed by signal 11."))
    #expect(problem.hasSuffix("It has died 5 times in a short time."))
    #expect(table.workers.launched.count == 5)
    #expect(try await table.words().isEmpty)
    table.workers.play("a", answering("back"))
    #expect(try await table.say("again").answer == "back")
  }

  @Test func `A turn that waits for its next worker can be stopped`() async throws {
    let table = try Table(
      ["a": serving { try Self.die($0) }],
      restarts: RestartPolicy(firstDelay: .seconds(600))
    )
    let replaced = Signal()
    async let summary = table.say("go") { event in
      if case .workerReplaced = event { replaced.fire() }
    }
    await replaced.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    #expect(table.workers.launched.count == 1)
  }
}

struct RestartsTests {
  private let policy = RestartPolicy(maximum: 3, window: .seconds(10), firstDelay: .seconds(1))

  @Test func `Each new worker waits twice as long as the one before, and there are so many`() {
    var restarts = Restarts(policy)
    let now = ContinuousClock.now
    let delays = (0..<4).map { restarts.recordDeath(at: now + .seconds($0)) }
    #expect(delays == [.seconds(1), .seconds(2), .seconds(4), nil])
  }

  @Test func `What is longer ago than the window counts no more`() {
    var restarts = Restarts(policy)
    let now = ContinuousClock.now
    for second in [0, 1, 2] { _ = restarts.recordDeath(at: now + .seconds(second)) }
    #expect(restarts.recordDeath(at: now + .seconds(11)) == .seconds(2))
    #expect(restarts.recordDeath(at: now + .seconds(60)) == .seconds(1))
  }
}
