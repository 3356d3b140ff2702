import AgentKit
import Foundation
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// How sessions begin, are copied, and end for good.
@Suite(.timeLimit(.minutes(5)))
struct SessionBeginningTests {
  private func history() throws -> [RawEntry] {
    try [.prompt("hello"), .call("1", "look"), .prompt("well?"), .response("hi")]
      .map(RawEntry.init)
  }

  @Test func `A session begins with another program's conversation, whose calls are not made`()
    async throws
  {
    let table = try Table(["a": answering("Yes.")])
    let beginning = SessionBeginning(origin: "client\u{1B}/1", history: try history())
    let talk = try await table.sessions.session(named: "talk", beginning)
    let summary = try await talk.respond(to: "go on", caps: Caps()) { _ in }
    #expect(summary?.exit == .answered)
    let order = try #require(table.workers.of("a").first?.orders.first)
    #expect(
      order.entries.map(\.words) == [
        "prompt: hello", "calls: look", "prompt: well?", "response: hi", "prompt: go on",
      ]
    )
    #expect(order.openCalls == [:])
    #expect(table.workers.of("a").first?.unfinishedCalls == [])
    let record = try await JournalReader(table.journal).conversation(named: "talk")
    #expect(record?.origin == "client/1")
    #expect(record?.isTemporary == false)
  }

  @Test func `Calls that end an imported conversation are not taken for open ones`() async throws {
    let table = try Table(["a": answering("Yes.")])
    let beginning = SessionBeginning(history: Array(try history().prefix(2)))
    let talk = try await table.sessions.session(named: "talk", beginning)
    _ = try await talk.respond(to: "go on", caps: Caps()) { _ in }
    #expect(table.workers.of("a").first?.unfinishedCalls == [])
  }

  @Test func `A history is for a new session, or for one that has come to the same`() async throws {
    let table = try Table(["a": answering("Yes.")])
    let beginning = SessionBeginning(history: try history())
    let talk = try await table.sessions.session(named: "talk", beginning)
    // Sent again, because the first answer was lost.
    #expect(try await table.sessions.session(named: "talk", beginning) === talk)
    try await table.say("go on")
    await #expect(throws: ConversationError.alreadyBegun("talk")) {
      try await table.sessions.session(named: "talk", beginning)
    }
    let instructions = Transcript.Instructions(segments: [], toolDefinitions: [])
    let bad = SessionBeginning(history: [try RawEntry(.instructions(instructions))])
    await #expect(throws: ConversationError.self) {
      try await table.sessions.session(named: "other", bad)
    }
    #expect(try await JournalReader(table.journal).conversation(named: "other") == nil)
  }

  @Test func `A fork goes on from its turn, beside its original`() async throws {
    let table = try Table(["a": serving { turn in try await turn.answer("\(turn.id)") }])
    let first = try await table.say("one").turn
    try await table.say("two")
    try await table.sessions.fork("talk", through: first, as: "other", SessionBeginning())
    let other = try await table.sessions.session(named: "other")
    _ = try await other.respond(to: "three", caps: Caps()) { _ in }
    let order = try #require(table.workers.of("a").last?.orders.first)
    #expect(order.entries.map(\.words) == ["prompt: one", "response: 1", "prompt: three"])
    try await table.say("four")
    #expect(try await table.words().count == 6)
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
  }

  @Test func `A session in which a turn goes on is not deleted, and one at rest is`() async throws {
    let (reached, release) = (Signal(), Signal())
    let table = try Table([
      "a": serving { turn in
        reached.fire()
        await release.wait()
        return try await turn.answer("Done.")
      }
    ])
    let turn = Task { try await table.say("go") }
    await reached.wait()
    await #expect(throws: SessionError.isUnderWay("talk")) {
      try await table.sessions.delete("talk")
    }
    release.fire()
    _ = try await turn.value
    let talk = try await table.talk
    let runs = try await table.sessions.delete("talk")
    #expect(runs == table.workers.of("a").map(\.run.description))
    let ended = table.workers.of("a").map(\.hasEnded)
    #expect(!ended.contains(false))
    #expect(try await JournalReader(table.journal).conversation(named: "talk") == nil)
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
    // A prompt that was on its way learns why it is not answered.
    await #expect(throws: ConversationError.deleted("talk")) {
      try await talk.respond(to: "more", caps: Caps()) { _ in }
    }
    await #expect(throws: SessionError.unknown("talk")) {
      try await table.sessions.delete("talk")
    }
    // The name is free again.
    try await table.say("anew")
    #expect(try await table.words() == ["prompt: anew", "response: Done."])
  }

  @Test func `Only a prompt begins a session anew that was deleted`() async throws {
    let table = try Table(["a": ClientCallTests.asking()])
    let talk = try await table.talk
    _ = try await talk.respond(to: "go", caps: Caps(), options: ClientCallTests.options) { _ in }
    #expect(try await table.sessions.existing("talk") === talk)
    await table.sessions.cancel("talk")
    try await eventually { try await JournalReader(table.journal).openTurns().isEmpty }
    await eventually { (try? await table.sessions.delete("talk")) != nil }
    await #expect(throws: ConversationError.deleted("talk")) {
      try await talk.submit([ClientToolOutput(callID: "1", text: "one")]) { _ in }
    }
    await #expect(throws: ConversationError.deleted("talk")) {
      try await table.sessions.existing("talk")
    }
    await table.sessions.cancel("talk")
    #expect(try await JournalReader(table.journal).conversations() == [])
    // Looking for it does not keep a prompt from beginning it.
    async let missing = table.sessions.existing("talk")
    async let new = table.talk
    let begun = try await new
    if let found = try? await missing { #expect(found === begun) }
    #expect(try await table.sessions.existing("talk") === begun)
  }

  @Test func `A temporary session is deleted when it has rested, unless its turn waits`()
    async throws
  {
    let table = try Table(["a": ClientCallTests.asking()])
    let beginning = SessionBeginning(isTemporary: true)
    let talk = try await table.sessions.session(named: "talk", beginning)
    _ = try await talk.respond(to: "go", caps: Caps(), options: ClientCallTests.options) { _ in }
    await eventually {
      await table.sessions.retireWorkers(idleFor: .zero)
      return await talk.waitsForClient
    }
    // A prompt that is refused now leaves the session to the client.
    var twice = ClientCallTests.options
    twice.clientTools = (twice.clientTools ?? []) + (twice.clientTools ?? [])
    await #expect(throws: (any Error).self) {
      try await talk.respond(to: "more", caps: Caps(), options: twice) { _ in }
    }
    #expect(await !talk.isSpent)
    await table.sessions.retireWorkers(idleFor: .zero)
    await table.sessions.retireWorkers(idleFor: .zero)
    let reader = JournalReader(table.journal)
    #expect(try await reader.conversation(named: "talk") != nil)
    // No request waits for the end of the turn.
    await table.sessions.cancel("talk")
    #expect(await talk.isSpent)
    var runs: [String] = []
    try await eventually {
      runs += await table.sessions.retireWorkers(idleFor: .zero)
      return try await reader.conversation(named: "talk") == nil
    }
    #expect(runs == table.workers.of("a").map(\.run.description))
  }

  @Test func `A session with a turn that an earlier coordinator left is deleted with it`()
    async throws
  {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let after = try Table(["a": answering("")], after: restart.before)
    _ = try await after.talk
    _ = try await after.sessions.delete("talk")
    #expect(try await JournalReader(after.journal).conversations() == [])
  }
}
