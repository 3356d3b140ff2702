import Coordination
import FlyingSocks
import Foundation
import HTTPTypes
import MCP
import Testing
import Transcripts

@testable import Coordinator
@testable import Doors
@testable import Journal

@Suite(.timeLimit(.minutes(5))) struct `The MCP route` {
  // MARK: Statuses

  @Test func `answers as the specification says`() async throws {
    try await MCPRequests.ask { ask in
      let list = MCPRequests.standalone("tools/list")
      let modern = ["MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"]
      for (body, fields, status, code) in [
        (list, modern, 200, nil),
        (list, ["MCP-Protocol-Version": "2026-07-28"], 400, -32020),
        (list, ["Mcp-Method": "tools/list"], 400, -32020),
        (list, modern.merging(["Mcp-Method": "tools/call"]) { $1 }, 400, -32020),
        (
          MCPRequests.standalone("tools/guess"),
          modern.merging(["Mcp-Method": "tools/guess"]) { $1 },
          404, -32601
        ),
        (
          list.replacing("2026-07-28", with: "2099-01-01"),
          ["MCP-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list"], 400, -32022
        ),
        (MCPRequests.call("tools/list"), ["MCP-Protocol-Version": "2099-01-01"], 400, -32602),
        (MCPRequests.call("tools/list"), [:], 400, -32602),
        (MCPRequests.call("tools/list"), ["Mcp-Session-Id": "guess"], 404, -32600),
        ("{", [:], 400, -32700), ("\u{0}", [:], 400, -32700), ("[]", [:], 400, -32600),
        ("[\(list),\(list)]", modern, 400, -32600), (#"{"jsonrpc":"2.0"}"#, [:], 400, -32600),
        (list, modern.merging(["Accept": "application/json"]) { $1 }, 406, nil),
        (list, modern.merging(["Accept": "text/html"]) { $1 }, 406, nil),
        (list, modern.merging(["Accept": "text/event-stream, application/*"]) { $1 }, 200, nil),
        (list, modern.merging(["Accept": "*/*;q=0.5"]) { $1 }, 200, nil),
      ] as [(String, [String: String], Int, Int?)] {
        let answer = try await ask(body, fields)
        #expect(answer.status == status, "\(body) \(fields): \(answer.body)")
        #expect(answer.code == code, "\(body) \(fields): \(answer.body)")
      }
      for method in [.get, .put, .patch] as [HTTPRequest.Method] {
        #expect(try await ask("", method: method).status == 405)
      }
    }
  }

  @Test func `accepts notifications without an answer`() async throws {
    try await MCPRequests.ask { ask in
      let cancelled =
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
      let session = try await ask.initialize()
      for fields in [["MCP-Protocol-Version": "2026-07-28"], session, [:]] {
        let answer = try await ask(cancelled, fields)
        #expect(answer.status == 202 && answer.body.isEmpty)
      }
      #expect(try await ask(cancelled, ["Mcp-Session-Id": "guess"]).status == 404)
    }
  }

  @Test func `keeps a session from its handshake until it is deleted`() async throws {
    try await MCPRequests.ask { ask in
      let session = try await ask.initialize()
      let list = try await ask(MCPRequests.call("tools/list"), session)
      #expect(list.result?["tools"]?.elements?.count == 1)
      #expect(try await ask(MCPRequests.call("ping"), session).result?.jsonString == "{}")
      // An old client reads an error only from a success.
      let unknown = try await ask(MCPRequests.call("tools/guess"), session)
      #expect(unknown.status == 200 && unknown.code == -32601)
      #expect(try await ask("", session, method: .delete).status == 204)
      #expect(try await ask("", session, method: .delete).status == 404)
      #expect(try await ask(MCPRequests.call("tools/list"), session).status == 404)
    }
  }

  @Test func `forgets the session that was used least recently when there are too many`()
    async throws
  {
    try await MCPRequests.ask { ask in
      let first = try await ask.initialize()
      let second = try await ask.initialize()
      for number in 2..<MCPSessions.maximum {
        _ = try await ask.initialize()
        #expect(try await ask(MCPRequests.call("ping"), first).status == 200, "\(number)")
      }
      _ = try await ask.initialize()
      #expect(try await ask(MCPRequests.call("ping"), first).status == 200)
      #expect(try await ask(MCPRequests.call("ping"), second).status == 404)
    }
  }

  // MARK: Connections

  @Test func `cancels the turn when the client closes the connection`() async throws {
    let turn = [TurnEvent.accepted(turn: 1, conversation: "talk")]
    let service = StubService(turn: turn, ends: false)
    try await TestDoor.open(service) { door in
      let connection = try await door.connect()
      try await connection.write(Data(Self.request(to: door).utf8))
      _ = try await connection.read(bytes: 12)
      try connection.close()
      #expect(await service.cancellations.first { _ in true } != nil)
    }
  }

  @Test func `is behind the token and the rules of origins`() async throws {
    let service = StubService(turn: MCPRequests.turn)
    try await TestDoor.open(service) { door in
      let answer = try await door.ask(Self.request(to: door))
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
      for (request, status) in [
        (Self.request(to: door, token: nil), 401), (Self.request(to: door, token: "guess"), 401),
        (Self.request(to: door, fields: ["Origin: https://evil.example"]), 403),
        (Self.request(to: door, host: "evil.example"), 403),
        (Self.request(to: door, fields: ["Content-Length: 3"]), 400),
      ] {
        let answer = try await door.ask(request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
      }
    }
    #expect(service.requests.filter { $0.hasPrefix("prompt") }.count == 1)
  }

  private static func request(
    to door: TestDoor,
    fields: [String] = [],
    host: String? = nil,
    token: String? = TestDoor.token
  ) -> String {
    let routing = [
      "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: ask_clerk",
    ]
    let body = MCPRequests.standalone("tools/call", MCPRequests.question + #","a":{"b":1}"#)
    return door.request(routing + fields, host: host, token: token, body: body)
      .replacing("/v1/prompts", with: Routes.Path.mcp)
  }
}
