import Coordination
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MCP
import Testing
import Transcripts

@testable import Coordinator
@testable import Doors

/// Requests to the MCP route over a stub, and their answers.
enum MCPRequests {
  struct Answer {
    let status: Int
    let session: String?
    let type: String?
    let body: String

    /// The message in the body, or in its last event.
    var message: GeneratedContent? {
      let events = body.split(separator: "\n").filter { $0.hasPrefix("data: ") }
      return try? GeneratedContent(json: events.last.map { String($0.dropFirst(6)) } ?? body)
    }

    var code: Int? { message?["error"]?["code"]?.integer }
    var result: GeneratedContent? { message?["result"] }
  }

  static let summary = TurnSummary(
    turn: 1,
    exit: .answered,
    holder: "clerk",
    answer: "yes",
    usage: RequestUsage(),
    seconds: 0.5
  )
  static let turn: [TurnEvent] = [
    .accepted(turn: 1, conversation: "talk"), .answered(agent: "clerk", text: "yes"),
    .ended(summary),
  ]

  /// Sends requests to the routes over a service, one after another.
  static func ask(
    _ service: StubService = StubService(turn: turn),
    _ body: @escaping @Sendable (Asking) async throws -> Void
  ) async throws {
    let application = Application(router: Routes(service: service).router())
    try await application.test(.router) { try await body(Asking(client: $0)) }
  }

  struct Asking: Sendable {
    let client: any TestClientProtocol

    func callAsFunction(
      _ body: String,
      _ fields: [String: String] = [:],
      method: HTTPRequest.Method = .post
    ) async throws -> Answer {
      var headers: HTTPFields = [:]
      for (name, value) in fields {
        headers[try #require(HTTPField.Name(name))] = value
      }
      let session = try #require(HTTPField.Name("Mcp-Session-Id"))
      return try await client.execute(
        uri: Routes.Path.mcp,
        method: method,
        headers: headers,
        body: ByteBuffer(string: body)
      ) {
        Answer(
          status: $0.status.code,
          session: $0.headers[session],
          type: $0.headers[.contentType],
          body: String(buffer: $0.body)
        )
      }
    }

    /// Sends a request that stands alone, with the headers that belong to it.
    func standalone(
      _ method: String,
      _ parameters: String = "",
      name: String? = nil,
      capabilities: String = "{}"
    ) async throws -> Answer {
      var fields = ["MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method]
      fields["Mcp-Name"] = name
      return try await self(
        MCPRequests.standalone(method, parameters, capabilities: capabilities),
        fields
      )
    }

    /// Begins a session with a handshake.
    func initialize(_ capabilities: String = "{}") async throws -> [String: String] {
      let answer = try await self(
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","#
          + #""capabilities":\#(capabilities),"clientInfo":{"name":"c","version":"1"}}}"#
      )
      #expect(answer.status == 200)
      return ["Mcp-Session-Id": try #require(answer.session)]
    }
  }

  static func standalone(
    _ method: String,
    _ parameters: String = "",
    capabilities: String = "{}"
  ) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"_meta":{"#
      + #""io.modelcontextprotocol/protocolVersion":"2026-07-28","#
      + #""io.modelcontextprotocol/clientCapabilities":\#(capabilities)}"#
      + (parameters.isEmpty ? "" : "," + parameters) + "}}"
  }

  static func call(_ method: String, _ parameters: String = "", id: Int = 1) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{\#(parameters)}}"#
  }

  static let question = #""name":"ask_clerk","arguments":{"prompt":"hello"}"#
}
