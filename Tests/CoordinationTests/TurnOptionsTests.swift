import AgentKit
import Foundation
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// What the sender of a prompt asks of its turn.
@Suite(.timeLimit(.minutes(5)))
struct TurnOptionsTests {
  @Generable struct Place { var place: String }

  private static let options = TurnOptions(
    instructions: "Speak French.",
    generation: GenerationOptions(temperature: 0.5, toolCallingMode: .disallowed),
    seed: 3,
    stop: ["END"],
    schema: nil,
    reasoningLevel: .light,
    skipsReasoning: true
  )

  @Test func `All agents that answer in the turn are told, and no friend and no later turn`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        if turn.order.options == nil { return try await turn.answer("Later.") }
        try await turn.admission()
        try await turn.record(.call("1", "ask"))
        _ = try await turn.phone("friend", "what?", callID: "1")
        try await turn.record(.output("1", "ask", "this"))
        return try await turn.pass(to: "b", callID: "2")
      },
      "b": serving { turn in
        turn.order.options == nil
          ? try await turn.pass(to: "a", callID: "3") : try await turn.answer("I am b.")
      },
      "friend": answering("this"),
    ])
    let talk = try await table.talk
    let summary = try await talk.respond(to: "go", caps: Caps(), options: Self.options) { _ in }
    #expect(summary?.answer == "I am b.")
    _ = try await talk.respond(to: "again", caps: Caps()) { _ in }
    #expect(table.workers.of("a").flatMap(\.orders).map(\.options) == [Self.options, nil])
    #expect(table.workers.of("b").flatMap(\.orders).map(\.options) == [Self.options, nil])
    #expect(table.workers.of("b").flatMap(\.measured).map(\.options) == [Self.options])
    #expect(table.workers.of("friend").flatMap(\.orders).map(\.options) == [nil])
  }

  @Test func `Workers ask servers in the span of the turn, and friends in that of their caller`()
    async throws
  {
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "ask"))
          _ = try await turn.phone("friend", "what?", callID: "1")
          try await turn.record(.output("1", "ask", "this"))
          return try await turn.answer("Done.")
        },
        "friend": answering("this"),
      ],
      tracing: Tracing {
        "\($0.session) \($0.id) \($0.given ?? "-") \($0.prompt.isEmpty)"
      } call: {
        $0.turn
      }
    )
    let given = TurnOptions(traceparent: "caller")
    _ = try await table.talk.respond(to: "go", caps: Caps(), options: given) { _ in }
    let traces = ["a", "friend"].map { agent in
      table.workers.of(agent).flatMap(\.orders).map(\.options?.traceparent)
    }
    #expect(traces == [["talk 1 caller false"], ["talk 1 caller false"]])
    // The journal has what the sender asked, and nothing else.
    _ = try await table.talk.respond(to: "again", caps: Caps()) { _ in }
    #expect(
      table.workers.of("a").flatMap(\.orders).last?.options?.traceparent?.contains("-") == true
    )
  }

  @Test func `A turn that another coordinator takes up has them, too`() async throws {
    let table = try Table(["a": answering("")], restarts: .never)
    let reached = Signal()
    table.workers.play("a", Restart.until(reached) { try await $0.admission() })
    Task {
      let talk = try await table.talk
      _ = try await talk.respond(to: "go", caps: Caps(), options: Self.options, request: "r") { _ in
      }
    }
    await reached.wait()
    let after = try Table(["a": answering("Oui.")], after: table)
    let known = try #require(try await RequestedTurn("r", JournalReader(after.journal)))
    #expect(known.session == "talk")
    #expect(known.prompt == "go")
    #expect(known.options == Self.options)
    #expect(known.events == nil)
    let summary = try await after.talk.resume { _ in }
    #expect(summary?.answer == "Oui.")
    #expect(after.workers.of("a").flatMap(\.orders).map(\.options) == [Self.options])
  }

  @Test func `The prompt shows the schema that its answer follows`() async throws {
    let table = try Table(["a": answering("{}")])
    let options = TurnOptions(schema: Place.generationSchema)
    _ = try await table.talk.respond(to: "where?", caps: Caps(), options: options) { _ in }
    let order = try #require(table.workers.of("a").first?.orders.first)
    guard case .prompt(let prompt)? = order.entries.last else {
      Issue.record("\(order.entries)")
      return
    }
    #expect(prompt.schema == Place.generationSchema)
    #expect(order.options?.schema == Place.generationSchema)
  }

  @Test func `A turn that has ended is replayed as it was shown`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.reasoning("Hm."))
        try await turn.record(.response("I look."))
        try await turn.record(.call("1", "look"), tokens: 2)
        try await turn.record(.output("1", "look", "seen"))
        return try await turn.pass(to: "b", callID: "2")
      },
      "b": answering("I am b."),
    ])
    let watched = Watched()
    _ = try await table.talk.respond(
      to: "go",
      caps: Caps(),
      request: "r",
      watch: watched.note
    )
    _ = try await table.say("more")
    let known = try #require(try await RequestedTurn("r", JournalReader(table.journal)))
    var replay = try #require(known.events)
    var shown = watched.all
    guard case .ended(var summary)? = replay.popLast(), case .ended(let told)? = shown.popLast()
    else {
      Issue.record("\(replay)")
      return
    }
    #expect(replay == shown)
    summary.seconds = told.seconds
    #expect(summary == told)
  }

  @Test func `A replay tells who had the baton, also where the turn was taken back`() async throws {
    let table = try Table([
      "a": serving { turn in
        if turn.order.entries.last?.words == "prompt: go" {
          return try await turn.pass(to: "b", callID: "1")
        }
        return try await turn.answer("I am a.")
      },
      "b": serving { turn in
        if turn.order.entries.last?.words == "prompt: fail" {
          return .failed(problem: "It broke.", keepsEntries: false)
        }
        return try await turn.answer("I am b.")
      },
    ])
    for request in ["go", "fail", "on"] {
      _ = try await table.talk.respond(to: request, caps: Caps(), request: request) { _ in }
    }
    var holders: [String] = []
    var answers: [String?] = []
    for request in ["go", "fail", "on"] {
      let turn = try await RequestedTurn(request, JournalReader(table.journal))
      guard case .ended(let summary)? = turn?.events?.last else { continue }
      holders.append(summary.holder)
      answers.append(summary.answer)
    }
    #expect(holders == ["b", "b", "b"])
    #expect(answers == ["I am b.", nil, "I am b."])
    #expect(try await RequestedTurn("none", JournalReader(table.journal)) == nil)
  }
}

extension Transcript.Entry {
  fileprivate static func reasoning(_ text: String) -> Self {
    .reasoning(.init(segments: [.text(.init(content: text))]))
  }
}
