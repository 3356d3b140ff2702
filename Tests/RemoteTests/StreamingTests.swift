import AgentKit
import Foundation
import Remote
import TestSupport
import Testing

/// How server events become what a session knows.
@Suite(.timeLimit(.minutes(5))) struct StreamingTests {
  @Test func `Text, reasoning and usage arrive`() async throws {
    let events = [
      Sent.thought("Hm, "), Sent.thought("yes."), Sent.text("Good "), Sent.text("day."),
      Sent.end(), Sent.usage, Sent.done,
    ]
    try await TestServer.events(events) { server in
      let response = try await server.ask()
      #expect(response.content == "Good day.")
      #expect(
        response.transcriptEntries.outline == ["reasoning Hm, yes.", "response Good day."]
      )
      #expect(response.usage.input.totalTokenCount == 20)
      #expect(response.usage.input.cachedTokenCount == 12)
      #expect(response.usage.output.totalTokenCount == 7)
      #expect(response.usage.output.reasoningTokenCount == 3)
    }
  }

  @Test func `Text is shown before the server has finished`() async throws {
    let (goOns, goOn) = AsyncStream<Void>.makeStream()
    try await TestServer.run { connection in
      try await connection.send(Connection.eventsHead + "data: \(Sent.text("Good "))\n\n")
      for await _ in goOns { break }
      try await connection.send("data: \(Sent.text("day."))\n\ndata: \(Sent.end())\n\n")
    } _: { server in
      let session = LanguageModelSession(model: try server.model())
      var seen: [String] = []
      for try await snapshot in session.streamResponse(to: "Hello") {
        seen.append(snapshot.content)
        // The server waits for this, so the text arrives before its end is sent.
        if seen.count == 1 { goOn.yield() }
      }
      #expect(seen.first == "Good ")
      #expect(seen.last == "Good day.")
    }
  }

  @Test(arguments: [1, 2, 3, 7, 50])
  func `An answer may come in pieces of any size`(size: Int) async throws {
    let events = [Sent.text("Grüße, "), Sent.text("日本 🪁."), Sent.end(), Sent.done]
    let stream = Connection.eventsHead + events.map { "data: \($0)\n\n" }.joined()
    try await TestServer.run { connection in
      var rest = Data(stream.utf8)[...]
      while !rest.isEmpty {
        try await connection.send(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
    } _: { server in
      let answer = try await server.ask().content
      #expect(answer == "Grüße, 日本 🪁.")
    }
  }

  @Test func `Every form of lines that the standard allows is read`() async throws {
    let stream =
      ": a comment\r\n\r\nevent: chunk\rid: 1\rdata:\(Sent.text("A"))\r\r"
      + "retry: 3\ndata: \(Sent.text("B"))\n\n:\n\ndata\n\ndata: \(Sent.end())"
    try await TestServer.run { connection in
      try await connection.send(Connection.eventsHead + stream)
    } _: { server in
      let answer = try await server.ask().content
      #expect(answer == "AB")
    }
  }

  @Test func `A server that does not stream is understood`() async throws {
    let body = """
      {"choices":[{"message":{"role":"assistant","content":"All at once."},\
      "finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}
      """
    try await TestServer.run { connection in
      try await connection.respond("200 OK", body: body)
    } _: { server in
      let response = try await server.ask()
      #expect(response.content == "All at once.")
      #expect(response.usage.totalTokenCount == 7)
    }
  }

  // MARK: Calls

  @Test(arguments: CallForms.twoCalls.indices)
  func `Calls come together, however they were sent`(form: Int) async throws {
    let calls =
      CallForms.twoCalls[form].map(Sent.call) + [Sent.end("tool_calls"), Sent.usage, Sent.done]
    let answer = [Sent.text("Wet."), Sent.end(), Sent.usage, Sent.done]
    try await TestServer.answers([TestServer.events(calls), TestServer.events(answer)]) { server in
      let response = try await server.ask(tools: [Weather()])
      #expect(
        response.transcriptEntries.outline == [
          #"calls weather{"city": "Oslo"} weather{"city": "Rome"}"#,
          "output It rains in Oslo.", "output It rains in Rome.", "response Wet.",
        ]
      )
      #expect(response.usage.totalTokenCount == 54)
      for case .toolCalls(let entry) in response.transcriptEntries {
        #expect(Set(entry.map(\.id)).count == 2)
      }
      try expectOutputsAreTold(server.received)
    }
  }

  /// Expects the second request to report the outputs of the calls under their original names.
  private func expectOutputsAreTold(_ requests: [TestServer.Request]) throws {
    #expect(requests.count == 2)
    let messages = try #require(try requests.last?.fields()["messages"] as? [[String: Any]])
    #expect(
      messages.compactMap { $0["role"] as? String }.suffix(3) == ["assistant", "tool", "tool"]
    )
    let calls = try #require(messages[2]["tool_calls"] as? [[String: Any]])
    #expect(
      calls.compactMap { $0["id"] as? String }
        == messages.suffix(2).compactMap { $0["tool_call_id"] as? String }
    )
  }

  @Test(arguments: [
    (#"{"index":0,"id":"a","function":{"name":"now"}}"#, "calls now{}"),
    // Only the name distinguishes the next call.
    (
      #"{"function":{"name":"now"}},"#
        + #"{"function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}"#,
      #"calls now{} weather{"city": "Oslo"}"#
    ),
  ])
  func `A call without arguments is a call`(call: String, outline: String) async throws {
    try await TestServer.answers([
      TestServer.events([Sent.call(call), Sent.end("tool_calls")]),
      TestServer.events([Sent.text("Noon."), Sent.end()]),
    ]) { server in
      let response = try await server.ask(tools: [Now(), Weather()])
      #expect(response.transcriptEntries.outline.first == outline)
      #expect(response.content == "Noon.")
    }
  }

  @Test func `Text beside calls is streamed too`() async throws {
    let both = """
      {"choices":[{"delta":{"content":"Let me look.","tool_calls":[{"index":0,"id":"a",\
      "function":{"name":"weather","arguments":"{\\"city\\": \\"Oslo\\"}"}}]}}]}
      """
    try await TestServer.events([both, Sent.end("tool_calls"), Sent.done]) { server in
      let channel = LanguageModelExecutorGenerationChannel()
      let model = try server.model()
      let executor = try RemoteLanguageModel.Executor(configuration: model.executorConfiguration)
      try await executor.respond(
        to: LanguageModelExecutorGenerationRequest(
          transcript: Transcript(entries: []),
          enabledTools: [],
          generationOptions: GenerationOptions(),
          contextOptions: ContextOptions()
        ),
        model: model,
        streamingInto: channel
      )
      channel.finish()
      var kinds: [String] = []
      for await event in channel {
        switch event.content {
        case .response: kinds.append("response")
        case .reasoning: kinds.append("reasoning")
        case .toolCalls: kinds.append("calls")
        }
      }
      // The usage belongs to the calls and does not turn the text into an answer.
      #expect(kinds == ["response", "calls", "calls"])
    }
  }
}

private struct Now: Tool {
  let name = "now"
  let description = "Tells the time."
  @Generable struct Arguments {}

  func call(arguments: Arguments) async throws -> String { "12:00" }
}
