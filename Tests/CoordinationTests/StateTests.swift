import AgentKit
import Foundation
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// What agents write to shared state: session properties and the history.
@Suite(.timeLimit(.minutes(5)))
struct StateTests {
  @Test func `What one agent has written comes to the next with the baton`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.write(["topic": "\"boats\"", "count": "1"])
        return try await turn.pass(to: "b", callID: "1")
      },
      "b": serving { turn in
        try await turn.write(["count": "2"])
        return try await turn.answer("I am b.")
      },
    ])
    try await table.say("go")
    let receiver = try #require(table.workers.of("b").first)
    // It is told when it is asked whether it can take the baton, and only then.
    let told = ["topic": "\"boats\"", "count": "1"]
    #expect(receiver.measured.map(\.properties) == [told])
    #expect(receiver.orders.map(\.properties) == [[:]])
    // It holds the baton and already knows the properties.
    try await table.say("again")
    #expect(receiver.orders.last?.properties == [:])
    let reader = JournalReader(table.journal)
    #expect(try await reader.properties(of: 1) == ["topic": "\"boats\"", "count": "2"])
    #expect(try await reader.stateChanges(of: 1).map(\.agent) == ["a", "b", "b"])
  }

  @Test func `Properties come back to a worker that is started anew, also after a restart`()
    async throws
  {
    let playing = serving { turn in
      if turn.id == 1 { try await turn.write(["topic": "\"boats\""]) }
      return try await turn.answer("ok")
    }
    let table = try Table(["a": playing])
    try await table.say("one")
    table.workers.launched.first?.end(.signaled(9))
    try await eventually {
      try await JournalReader(table.journal).runs().first?.outcome != nil
    }
    try await table.say("two")
    #expect(table.workers.launched.last?.orders.first?.properties == ["topic": "\"boats\""])
    let next = try Table(["a": playing], after: table)
    try await next.say("three")
    #expect(next.workers.launched.first?.orders.first?.properties == ["topic": "\"boats\""])
  }

  @Test func `A turn that is taken back leaves the properties as they were written`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        guard turn.id == 1 else { return try await turn.answer("ok") }
        try await turn.write(["spent": "5"])
        return .failed(problem: "no", keepsEntries: false)
      }
    ])
    try await table.say("one")
    table.catalog.change("a", plugin: "a-2.so")
    try await table.say("two")
    #expect(table.workers.launched.last?.orders.first?.properties == ["spent": "5"])
  }

  @Test func `A friend is told nothing of its parent's properties, and changes none`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.write(["topic": "\"boats\""])
        return try await turn.answerWithFriend("title", "a title")
      },
      "title": serving { turn in
        try await turn.write(["topic": "\"kites\""])
        return try await turn.answer("Kites")
      },
    ])
    try await table.say("go")
    let friend = try #require(table.workers.of("title").first)
    #expect(friend.orders.map(\.properties) == [[:]])
    #expect(try await JournalReader(table.journal).properties(of: 1) == ["topic": "\"boats\""])
  }

  @Test func `An edit of the history is what every agent sees from then on`() async throws {
    let table = try Table([
      "a": serving { turn in
        if turn.id == 2 {
          try await turn.write { _ in [.prompt("in short")] }
          return try await turn.pass(to: "b", callID: "1")
        }
        return try await turn.answer("hello")
      },
      "b": answering("I am b."),
    ])
    try await table.say("one")
    try await table.say("two")
    let seen = ["prompt: in short", "calls: pass_baton", "output: The baton is now with b."]
    let receiver = try #require(table.workers.of("b").first)
    #expect(receiver.orders.first?.added.map(\.words) == seen)
    // The journal keeps the original text.
    #expect(try await table.words().prefix(3) == ["prompt: one", "response: hello", "prompt: two"])
    let next = try Table(["a": answering(""), "b": answering("again")], after: table)
    try await next.say("three")
    let order = try #require(next.workers.launched.first?.orders.first)
    #expect(order.added.map(\.words) == seen + ["response: I am b.", "prompt: three"])
  }

  @Test func `The agent that edits need not be told, and others are told from the change on`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        let words = turn.worker.entries.last?.words
        if words == "prompt: to b" { return try await turn.pass(to: "b", callID: "\(turn.id)") }
        return try await turn.answer("a")
      },
      "b": serving { turn in
        let words = turn.worker.entries.last?.words
        if words == "prompt: cut" { try await turn.write { Array($0.prefix(1) + $0.suffix(1)) } }
        if words == "prompt: to a" { return try await turn.pass(to: "a", callID: "\(turn.id)") }
        return try await turn.answer("b")
      },
    ])
    for prompt in ["one", "to b", "cut", "more", "to a"] { try await table.say(prompt) }
    let editor = try #require(table.workers.of("b").first)
    #expect(editor.orders.map(\.kept) == [0, 6, 3, 5])
    let other = try #require(table.workers.of("a").first)
    #expect(other.orders.map(\.kept) == [0, 2, 1])
    #expect(
      other.entries.map(\.words) == [
        "prompt: one", "prompt: cut", "response: b", "prompt: more", "response: b",
        "prompt: to a", "calls: pass_baton", "output: The baton is now with a.", "response: a",
      ]
    )
  }

  @Test func `An edit is taken back with its turn`() async throws {
    let table = try Table([
      "a": serving { turn in
        guard turn.id == 2 else { return try await turn.answer("hello") }
        try await turn.write { _ in [] }
        return .failed(problem: "no", keepsEntries: false)
      }
    ])
    for prompt in ["one", "two", "three"] { try await table.say(prompt) }
    let seen = ["prompt: one", "response: hello", "prompt: three", "response: hello"]
    #expect(table.workers.launched.first?.entries.map(\.words) == seen)
    let history = try await JournalReader(table.journal).history(of: 1)
    #expect(history.map(\.words) == seen)
  }

  @Test func `So much of session properties is kept, and no more`() async throws {
    let limit = TurnState.maximumPropertyBytes
    let table = try Table(["a": answering("")])
    table.workers.play(
      "a",
      serving { [weak table] turn in
        // Set directly, because sending all of it would take too long.
        try await table?.talk.conversation.hold(["old": String(repeating: "x", count: limit)])
        try await turn.write(turn.id == 1 ? ["new": "1"] : ["old": "2"])
        return try await turn.answer("ok")
      }
    )
    let bytes = limit + "old".utf8.count + "new1".utf8.count
    let refusal = ConversationError.propertiesTooLarge(agent: "a", bytes: bytes, limit: limit)
    #expect(try await table.say("one").exit == .failed("\(refusal)"))
    let reader = JournalReader(table.journal)
    #expect(try await reader.properties(of: 1) == [:])
    try await table.talk.conversation.hold([:])
    #expect(try await table.say("two").answer == "ok")
    #expect(try await reader.properties(of: 1) == ["old": "2"])
  }

  @Test func `An edit of another history ends the worker and not the conversation`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        guard turn.id == 1 else { return try await turn.answer("ok") }
        turn.worker.keep(history: [])
        try await turn.write { _ in [.prompt("made up")] }
        return .answered
      }
    ])
    let failed = try await table.say("one")
    #expect(
      failed.exit
        == .failed("An edit of a history of 0 entries does not fit one of 1 entries.")
    )
    #expect(try await table.say("two").answer == "ok")
  }
}

extension Conversation {
  /// Replaces the session properties without journaling them.
  fileprivate func hold(_ properties: [String: String]) {
    past.properties = properties
    guard let id = turn?.id else { return }
    let event = Fact.Event.changedState(StateChange(properties: properties))
    let fact = Fact(id: 0, conversation: record.id, turn: id, at: Date(), event: event)
    // Goes on with nothing: no call of this name waits.
    let continuation = WriteContinuation.approvalDelivery(callID: "none")
    _ = turn?.turn.handle(.written([fact], continuation), at: TurnClock(deadline: .now))
  }
}
