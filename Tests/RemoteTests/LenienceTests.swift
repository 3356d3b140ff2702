import AgentKit
import TestSupport
import Testing

@testable import Remote

/// Server responses that are not quite correct but can be understood.
@Suite(.timeLimit(.minutes(5))) struct LenienceTests {
  @Test(arguments: [
    #""prompt_tokens":-1,"completion_tokens":-1"#,
    #""prompt_tokens":9223372036854775806,"completion_tokens":1e300"#,
    #""prompt_tokens":"5","completion_tokens":null"#,
  ])
  func `Figures that are none are counted as if there were none`(figures: String) async throws {
    let usage = #"{"choices":[],"usage":{\#(figures)}}"#
    try await TestServer.events([Sent.text("Yes."), Sent.end(), usage]) { server in
      let answer = try await server.ask()
      #expect(answer.content == "Yes.")
      #expect(answer.usage.input.totalTokenCount == 0)
      #expect(answer.usage.output.totalTokenCount == 1)
    }
  }

  @Test func `Figures that are fractions count whole`() async throws {
    let usage = #"{"choices":[],"usage":{"prompt_tokens":5.0,"completion_tokens":6.5}}"#
    try await TestServer.events([Sent.text("Yes."), Sent.end(), usage]) { server in
      let answer = try await server.ask()
      #expect(answer.usage.totalTokenCount == 11)
    }
  }

  @Test func `An answer in parts is put together`() async throws {
    let parts = #"[{"type":"text","text":"One "},{"type":"image"},{"type":"text","text":"two."}]"#
    let event = #"{"choices":[{"delta":{"content":\#(parts)}}]}"#
    try await TestServer.events([event, Sent.end()]) { server in
      let answer = try await server.ask()
      #expect(answer.content == "One two.")
    }
  }

  @Test(arguments: ["application/json", "text/plain", "text/html", "application/octet-stream"])
  func `Events and whole answers are known by what they are`(type: String) async throws {
    let whole = #"  {"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}"#
    let events = "\n: begin\ndata: \(Sent.text("Yes."))\n\ndata: \(Sent.end())\n\n"
    for body in [whole, events] {
      try await TestServer.run {
        try await $0.respond("200 OK", type: type, body: body)
      } _: { server in
        let answer = try await server.ask()
        #expect(answer.content == "Yes.")
      }
    }
  }

  @Test func `An answer whose pieces say an empty reason for its end goes on until it ends`()
    async throws
  {
    let pieces = ["One ", "two."].map {
      #"{"choices":[{"delta":{"content":"\#($0)"},"finish_reason":""}]}"#
    }
    for last in [Sent.end(), Sent.done] {
      try await TestServer.events(pieces + [last]) { server in
        let answer = try await server.ask()
        #expect(answer.content == "One two.")
      }
    }
    try await TestServer.events(pieces) { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.RequestError.self) {
        try await server.ask()
      }
      #expect(error == .invalidStreamData("it broke off in the middle"))
    }
  }

  @Test(arguments: [[Sent.text("So")], []])
  func `An error under a name of its own is one`(before: [String]) async throws {
    let problem = #"error: {"code":400,"message":"it is too long","type":"invalid_request_error"}"#
    let events = before.map { "data: \($0)\n\n" }.joined()
    try await TestServer.run { connection in
      let body = events + "\(problem)\n\ndata: [DONE]\n\n"
      try await connection.send(Connection.eventsHead + body)
    } _: { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
        try await server.ask()
      }
      #expect(error?.message == "it is too long")
    }
  }

  @Test(arguments: [
    #"{"object":"error","message":"it is too long","code":400}"#,
    #"{"type":"error","error":{"message":"it is too long"}}"#,
  ])
  func `An error in the place of a piece is told`(event: String) async throws {
    try await TestServer.events([Sent.text("So"), event]) { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
        try await server.ask()
      }
      #expect(error?.message == "it is too long")
    }
  }

  @Test(arguments: [
    "data: {\n\n", "data: {\"error\":\"late\"}\n\n", "data: {\"error\":\"late\"}",
    "data: {\"choices\":[],\"usa", "data: [DO", "da", "",
  ])
  func `What goes wrong behind an answer takes nothing of it along`(rest: String) async throws {
    try await TestServer.run { connection in
      let events = [Sent.text("Yes."), Sent.end()].map { "data: \($0)\n\n" }.joined()
      try await connection.send(Connection.eventsHead + events + rest)
      // The server sends nothing more but stays connected.
      if rest.isEmpty { await connection.waitForClose() }
    } _: { server in
      let answer = try await server.ask(timeout: .seconds(60))
      #expect(answer.content == "Yes.")
    }
  }

  @Test(arguments: [
    #"data: {"choices":[{"delta":{"conte"#, "data: [DO", "data: no JSON\n", "da", "",
  ])
  func `A stream that breaks off in an event is told as such`(rest: String) async throws {
    try await TestServer.run { connection in
      let event = "data: \(Sent.text("So far"))\n\n"
      try await connection.send(Connection.eventsHead + event + rest)
    } _: { server in
      let error = await #expect(throws: ChatCompletionsLanguageModel.RequestError.self) {
        try await server.ask()
      }
      #expect(error == .invalidStreamData("it broke off in the middle"))
    }
  }

  @Test func `An event that only the end of the stream completes counts`() async throws {
    func ask(_ last: String) async throws -> String {
      try await TestServer.run { connection in
        let event = "data: \(Sent.text("So far"))\n\n"
        try await connection.send(Connection.eventsHead + event + "data: \(last)")
      } _: { server in
        try await server.ask().content
      }
    }
    for last in [Sent.end(), Sent.done] {
      let answer = try await ask(last)
      #expect(answer == "So far")
    }
    let error = await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
      try await ask(#"{"error":"it is out of memory"}"#)
    }
    #expect(error?.message == "it is out of memory")
  }

  @Test func `A body that breaks off behind an answer is one`() async throws {
    let event = "data: \(Sent.text("Yes."))\n\ndata: \(Sent.end())\n\n"
    try await TestServer.run { connection in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      try await connection.send(head + "Content-Length: 9999\r\n\r\n" + event)
    } _: { server in
      let answer = try await server.ask()
      #expect(answer.content == "Yes.")
    }
  }
}
