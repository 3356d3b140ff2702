import AgentKit
import Synchronization
import TestSupport
import Testing

@testable import Remote

/// Pieces of answers that are not as they should be and cost nothing of the answer.
@Suite(.timeLimit(.minutes(5))) struct OddPieceTests {
  private static func delta(_ fields: String) -> String { #"{"choices":[{"delta":{\#(fields)}}]}"# }

  @Test(arguments: [
    delta(#""content":7"#), delta(#""content":{"a":1}"#), delta(#""reasoning_content":[1]"#),
    delta(#""refusal":false"#), delta(#""tool_calls":"none""#), delta(#""tool_calls":[7]"#),
    #"{"choices":[{"delta":"text"}]}"#, #"{"choices":[{"delta":{},"finish_reason":0}]}"#,
    #"{"choices":7}"#, #"{"choices":[],"usage":"much"}"#, "[]", "7",
  ])
  func `A field of another type is left out and logged`(event: String) async throws {
    let lines = Mutex<[String]>([])
    try await TestServer.events([Sent.text("Yes, "), event, Sent.text("yes."), Sent.end()]) {
      server in
      let model = RemoteLanguageModel(
        .init(name: "m", url: try server.url),
        environment: [:],
        log: { line in lines.withLock { $0.append(line) } }
      )
      let answer = try await LanguageModelSession(model: model).respond(to: "Hello").content
      #expect(answer == "Yes, yes.")
    }
    #expect(lines.withLock { $0.count } == 1)
    #expect(lines.withLock { $0.first?.contains("(1)") } == true)
  }

  @Test(arguments: [
    #"{"id":7,"object":null,"choices":[{"index":"0","logprobs":3,"delta":{"role":8}}],"x":{}}"#,
    #"{"choices":[{"delta":{"content":null,"tool_calls":null}}],"usage":null,"error":null}"#,
    #"{"choices":null}"#,
  ])
  func `Fields that mean nothing here may be anything`(event: String) async throws {
    try await TestServer.events([Sent.text("Yes."), event, Sent.end()]) { server in
      let answer = try await server.ask().content
      #expect(answer == "Yes.")
    }
  }

  @Test func `A single call need not be in a list`() async throws {
    let call = #"{"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}"#
    let events = [Self.delta(#""tool_calls":\#(call)"#), Sent.end("tool_calls")]
    let yes = TestServer.events([Sent.text("Yes."), Sent.end()])
    try await TestServer.answers([TestServer.events(events), yes]) { server in
      let response = try await server.ask(tools: [Weather()])
      #expect(response.transcriptEntries.outline.first == #"calls weather{"city": "Oslo"}"#)
    }
  }

  // MARK: Halves of characters

  @Test(arguments: [
    ([#"Hi \ud83e"#, #"\udd86!"#], "Hi 🦆!"), ([#"\ud83e"#, "", #"\udd86"#], "🦆"),
    ([#"\ud83e\udd86\ud83e"#, #"\udd86"#], "🦆🦆"), ([#"a\ud83e"#, "b"], "a\u{FFFD}b"),
    ([#"a\udd86"#, "b"], "a\u{FFFD}b"), ([#"a\ud83e"#], "a\u{FFFD}"),
    ([#"\ud83e"#, #"\ud83e"#, #"\udd86"#], "\u{FFFD}🦆"), ([#"\\ud83e"#, #"\u00e4"#], #"\ud83eä"#),
    ([#"\uD83E\u0041"#], "\u{FFFD}A"),
  ])
  func `Halves of a character are joined, and one alone is replaced`(
    pieces: [String],
    text: String
  ) async throws {
    try await TestServer.events(pieces.map(Sent.text) + [Sent.end()]) { server in
      let answer = try await server.ask().content
      #expect(answer == text)
    }
    try await TestServer.events(pieces.map(Sent.thought) + [Sent.text("Yes."), Sent.end()]) {
      server in
      let response = try await server.ask()
      #expect(response.transcriptEntries.outline == ["reasoning \(text)", "response Yes."])
    }
  }

  @Test func `Halves of a character are joined in arguments, and in an answer as a whole`()
    async throws
  {
    let calls = [
      Sent.call(
        #"{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"\ud83e"}}"#
      ),
      Sent.call(#"{"index":0,"function":{"arguments":"\udd86\ud83e\"}"}}"#), Sent.end("tool_calls"),
    ]
    let body = #"{"choices":[{"message":{"content":"\ud83e."},"finish_reason":"stop"}]}"#
    try await TestServer.answers([
      TestServer.events(calls), { try await $0.respond("200 OK", body: body) },
    ]) { server in
      let response = try await server.ask(tools: [Weather()])
      #expect(
        response.transcriptEntries.outline == [
          #"calls weather{"city": "🦆\#u{FFFD}"}"#, "output It rains in 🦆\u{FFFD}.",
          "response \u{FFFD}.",
        ]
      )
    }
  }

  // MARK: Reasoning in the content

  private static let thoughts: [(pieces: [String], outline: [String])] = [
    (["<think>Hm.</think>Yes."], ["reasoning Hm.", "response Yes."]),
    (["<think>\\nHm.\\n</think>\\n\\nYes."], ["reasoning \nHm.\n", "response Yes."]),
    (["\\n<thi", "nk>H", "m.</", "think>", "\\n", "\\nYes."], ["reasoning Hm.", "response Yes."]),
    (
      ["<think>a < b </thin", "g> c</think> Yes."], ["reasoning a < b </thing> c", "response Yes."]
    ),
    (["<think>\\n\\n</think>\\n\\nYes."], ["response Yes."]),
    (["<think>Hm."], ["reasoning Hm.", "response "]),
    (["Yes: <think>Hm.</think>"], ["response Yes: <think>Hm.</think>"]),
    (["<thinking>Hm.", "</think>"], ["response <thinking>Hm.</think>"]),
    (
      ["<think>Hm.</think>Yes. <think>No.</think>"],
      [
        "reasoning Hm.", "response Yes. <think>No.</think>",
      ]
    ),
    (["  <th"], ["response   <th"]), ([" ", "Yes."], ["response  Yes."]),
  ]

  @Test(arguments: thoughts.indices)
  func `Reasoning at the beginning of the content is reasoning`(index: Int) async throws {
    let (pieces, outline) = Self.thoughts[index]
    try await TestServer.events(pieces.map(Sent.text) + [Sent.end()]) { server in
      let entries = try await server.ask().transcriptEntries
      #expect(entries.outline == outline)
    }
    let body =
      #"{"choices":[{"message":{"content":"\#(pieces.joined())"},"finish_reason":"stop"}]}"#
    try await TestServer.run {
      try await $0.respond("200 OK", body: body)
    } _: { server in
      let entries = try await server.ask().transcriptEntries
      #expect(entries.outline == outline)
    }
  }

  @Test func `Reasoning before a structured answer is none of it`() async throws {
    let text = #"<think>Hm.</think>\n{\"city\": \"Oslo\", \"days\": 3}"#
    try await TestServer.events([Sent.text(text), Sent.end()]) { server in
      let session = LanguageModelSession(model: try server.model())
      let trip = try await session.respond(to: "Plan", generating: Trip.self).content
      #expect(trip.days == 3)
    }
  }
}
