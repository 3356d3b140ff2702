import AgentKit
import TestSupport
import Testing

@testable import Remote

/// Numbers between a server and a tool.
@Suite(.timeLimit(.minutes(5))) struct NumberTests {
  @Test(arguments: [
    #""{\"id\": 9007199254740993, \"share\": [0.10, 18446744073709551615, 1e400]}""#,
    #"{"id": 9007199254740993, "share": [0.10, 18446744073709551615, 1e400]}"#,
  ])
  func `Arguments keep their digits, as text and as an object`(arguments: String) async throws {
    let call = Sent.call(
      #"{"index":0,"id":"a","function":{"name":"delete","arguments":\#(arguments)}}"#
    )
    try await TestServer.answers([
      TestServer.events([call, Sent.end("tool_calls"), Sent.done]),
      TestServer.events([Sent.text("Done."), Sent.end(), Sent.done]),
    ]) { server in
      let response = try await server.ask(tools: [Delete()])
      let sent = #"{"id": 9007199254740993, "share": [0.10, 18446744073709551615, 1e400]}"#
      #expect(
        response.transcriptEntries.outline == [
          "calls delete\(sent)", "output Deleted 9007199254740993.", "response Done.",
        ]
      )
      let body = try #require(server.received.last).body
      #expect(body.contains(GeneratedContent(sent).jsonString))
    }
  }

  @Test func `The bounds of a tool reach the server with all digits`() async throws {
    try await TestServer.events([Sent.text("Done."), Sent.end()]) { server in
      _ = try await server.ask(tools: [Delete()])
      let body = try #require(server.received.last).body
      #expect(body.contains(#""minimum": 9007199254740993"#))
    }
  }
}

private struct Delete: Tool {
  let name = "delete"
  let description = "Deletes the record with this id."

  @Generable
  struct Arguments {
    @Guide(.minimum(9_007_199_254_740_993)) var id: Int
    var share: GeneratedContent
  }

  func call(arguments: Arguments) async throws -> String { "Deleted \(arguments.id)." }
}
