import AgentKit
import Dispatch
import Foundation
import GRDB
import Testing
import Wire

@testable import Coordination
@testable import Journal

@Suite(.timeLimit(.minutes(5)))
struct DeathTests {
  @Test func `A worker that dies idle is replaced, and the new one gets the whole history`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    try await table.say("one")
    table.workers.launched.first?.end(.signaled(9))
    try await eventually {
      try await JournalReader(table.journal).runs().first?.outcome != nil
    }
    let summary = try await table.say("two")
    #expect(summary.exit == .answered)
    #expect(table.workers.launched.count == 2)
    let order = try #require(table.workers.launched.last?.orders.first)
    #expect(order.kept == 0)
    #expect(order.added.map(\.words) == ["prompt: one", "response: hello", "prompt: two"])
    #expect(
      try await JournalReader(table.journal).runs().first?.outcome == "it was killed by signal 9"
    )
  }

  @Test func `A worker that died unnoticed does not cost the turn`() async throws {
    for _ in 0..<20 {
      let table = try Table(["a": answering("hello")])
      try await table.say("one")
      // The next prompt races with the news of the worker's end.
      table.workers.launched.first?.end(.signaled(9))
      #expect(try await table.say("two").exit == .answered)
      #expect(table.workers.launched.count == 2)
    }
  }

  @Test func `A worker that died unnoticed is replaced, and counts as no death`() async throws {
    let table = try Table(
      [
        "a": lives(
          { turn in
            if turn.id == 1 { return try await turn.answer("hello") }
            turn.worker.end(.signaled(9))
            throw WorkerGone()
          },
          { try await $0.answer("back") }
        )
      ],
      restarts: .never
    )
    try await table.say("one")
    #expect(try await table.say("two").answer == "back")
  }

  @Test func `A worker that is not replaced fails its turn, and the next prompt goes on`()
    async throws
  {
    let table = try Table(["a": answering("hello")], restarts: .never)
    try await table.say("one")
    table.catalog.change("a", plugin: "a-2.so")
    table.workers.play(
      "a",
      serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "crash"))
        turn.worker.end(.signaled(11), lastLines: ["first", "Segmentation fault"])
        throw WorkerGone()
      }
    )
    let failed = try await table.say("two")
    #expect(
      failed.exit
        == .failed(
          "The worker of 'a' died: it was killed by signal 11. Its last log line: Segmentation"
            + " fault."
        )
    )
    table.workers.play("a", answering("back"))
    let summary = try await table.say("three")
    #expect(summary.answer == "back")
    let order = try #require(table.workers.launched.last?.orders.first)
    #expect(order.added.map(\.words) == ["prompt: one", "response: hello", "prompt: three"])
  }

  @Test func `A worker that cannot be what it was asked to be fails the turn in its words`()
    async throws
  {
    let table = try Table([
      "a": { worker in
        try worker.say(.unable(Inability(.model, "There is no model.")))
        // Its process is still running when the next prompt arrives.
        try await worker.hang()
      }
    ])
    #expect(try await table.say("one").exit == .failed("There is no model."))
    table.workers.play("a", answering("hello"))
    #expect(try await table.say("two").answer == "hello")
    await eventually { table.workers.launched.first?.wasRetired == true }
  }

  @Test func `What cannot be journaled ends the turn and the worker that waits`() async throws {
    let table = try Table(["a": answering("hello")])
    let (accepted, broken) = (Signal(), Signal())
    table.workers.play(
      "a",
      serving { turn in
        await broken.wait()
        return try await turn.answer("hello")
      }
    )
    async let summary = table.say("one") { event in
      if case .accepted = event { accepted.fire() }
    }
    await accepted.wait()
    try await table.breakJournal("recorded")
    broken.fire()
    guard case .failed(let problem) = try await summary.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(problem.contains("recorded"))
    await eventually { table.workers.launched.first?.wasRetired == true }
    #expect(table.workers.launched.first?.heard.contains(.cancel(turn: 1)) == true)
  }

  @Test func `A worker whose beginning cannot be journaled is not heard`() async throws {
    let table = try Table(["a": answering("hello")])
    _ = try await table.talk
    try await table.breakJournal("launched")
    guard case .failed = try await table.say("one").exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(try await table.words().isEmpty)
    await eventually { table.workers.launched.map(\.wasRetired) == [true] }
  }

  @Test func `A worker is heard when its beginning is on disk`() async throws {
    let table = try Table(["a": answering("hello")])
    let (held, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let summary = table.say("one") { [journal = table.journal] event in
      guard case .accepted = event else { return }
      // Block the journal before anything of the worker is written; the turn waits for that, because
      // what it writes next could still join the writing of its prompt.
      journal.database.asyncWriteWithoutTransaction { _ in
        held.signal()
        free.wait()
      }
      held.wait()
    }
    await eventually { table.workers.launched.first?.asked[.admission] == 1 }
    // Yield often enough for a premature answer to show up.
    for _ in 0..<1000 { await Task.yield() }
    #expect(table.workers.launched.first?.heard.count == 1, "the order, and no answer")
    free.signal()
    #expect(try await summary.answer == "hello")
  }

  @Test func `An answer whose end cannot be journaled is no answer`() async throws {
    let table = try Table(["a": answering("")])
    table.workers.play(
      "a",
      serving { [weak table] turn in
        let ending = try await turn.answer("hello")
        try await table?.breakJournal("ended")
        return ending
      }
    )
    let watched = Watched()
    let summary = try await table.say("one", watch: watched.note)
    guard case .failed = summary.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(summary.answer == nil)
    // Asking again would have the prompt answered twice, so the person must be warned.
    let isWarned = watched.all.contains {
      if case .trouble(let words) = $0 { words.contains("could not be journaled") } else { false }
    }
    #expect(isWarned)
  }

  @Test func `One that cannot be journaled itself is none, and its turn is over`() async throws {
    let table = try Table(["a": answering("")])
    table.workers.play(
      "a",
      serving { [weak table] turn in
        try await table?.breakJournal("recorded")
        return try await turn.answer("hello")
      }
    )
    let watched = Watched()
    let summary = try await table.say("one", watch: watched.note)
    guard case .failed = summary.exit else {
      Issue.record("The turn did not fail.")
      return
    }
    #expect(summary.answer == nil)
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [summary.exit])
    #expect(turns.map(\.isReverted) == [true])
    // The failure is reported only once: as the exit of the turn.
    #expect(!watched.all.contains { if case .trouble = $0 { true } else { false } })
  }

  @Test func `Such an end is journaled before anything else is, and stays so`() async throws {
    let table = try Table(["a": answering("")])
    table.workers.play(
      "a",
      serving { [weak table] turn in
        let ending = try await turn.answer("hello")
        if turn.id == 1 { try await table?.breakJournal("ended") }
        return ending
      }
    )
    guard case .failed = try await table.say("one").exit else {
      Issue.record("The turn did not fail.")
      return
    }
    await #expect(throws: (any Error).self) { try await table.say("two") }
    try await table.mendJournal()
    #expect(try await table.say("three").answer == "hello")
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.isReverted) == [true, false])
    #expect(try await table.words() == ["prompt: three", "response: hello"])
  }

  @Test func `A turn without an end that others have come after is taken back, and not resumed`()
    async throws
  {
    let table = try Table(["a": answering("hello")])
    for prompt in ["one", "two"] { try await table.say(prompt) }
    try await table.forgetEnd(of: 1)
    let next = try Table(["a": answering("back")], after: table)
    #expect(try await !next.talk.isInterrupted)
    #expect(try await next.say("three").answer == "back")
    let told = next.workers.launched.flatMap(\.orders).flatMap { $0.entries }.map(\.words)
    #expect(told == ["prompt: two", "response: hello", "prompt: three"])
  }

  @Test func `A prompt that cannot be journaled is not accepted`() async throws {
    let table = try Table(["a": answering("hello")])
    _ = try await table.talk
    try await table.breakJournal("prompted")
    let watched = Watched()
    await #expect(throws: (any Error).self) {
      try await table.say("one", watch: watched.note)
    }
    #expect(watched.all.isEmpty)
    #expect(table.workers.launched.isEmpty)
  }
}
