import Coordinator
import FlyingSocks
import Foundation
import NIOCore
import Testing

@testable import Doors

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A door for OpenAI's clients` {
  private static let chat = #"{"model":"clerk","messages":[{"role":"user","content":"a"}]}"#
  private static let path = OpenAIRoutes.chatCompletions

  private static func status(of answer: String) -> String { String(answer.prefix(12).suffix(3)) }

  @Test func `refuses in the form that they read`() async throws {
    let service = FakeSessions()
    try await TestDoor.open(serving: service) { door in
      func ask(_ request: String) async throws -> String { try await door.ask(request) }
      let stranger = try await ask(door.request(token: nil, path: Self.path, body: Self.chat))
      #expect(Self.status(of: stranger) == "401")
      #expect(stranger.lowercased().contains("\r\nwww-authenticate: bearer\r\n"))
      #expect(stranger.contains(#""type": "invalid_request_error""#))
      #expect(stranger.contains(#""code": "invalid_api_key""#))
      #expect(stranger.lowercased().contains("\r\nx-request-id: req_"))
      let page = try await ask(
        door.request(["Origin: https://evil.example"], path: Self.path, body: Self.chat)
      )
      #expect(Self.status(of: page) == "403")
      #expect(page.contains(#""code": "origin_not_allowed""#))
      let large = door.request(path: Self.path, body: "").replacing(
        "Content-Length: 0",
        with: "Content-Length: \(17 << 20)"
      )
      let refused = try await ask(large)
      #expect(Self.status(of: refused) == "413")
      #expect(refused.contains(#""code": "request_too_large""#))
      let missing = try await ask(door.request(path: "/v1/embeddings", body: "{}"))
      #expect(Self.status(of: missing) == "404")
      #expect(missing.contains(#""type": "invalid_request_error""#))
    }
    #expect(service.prompts.isEmpty)
  }

  @Test func `takes a body that is larger than elsewhere, in chunks too`() async throws {
    let service = FakeSessions()
    try await TestDoor.open(serving: service) { door in
      let text = String(repeating: "x", count: 3 << 20)
      let body = Self.chat.replacing(#""a""#, with: #""\#(text)""#)
      let answer = try await door.ask(door.request(path: Self.path, body: body))
      #expect(Self.status(of: answer) == "200")
      let chunked = door.request(path: Self.path, body: "").replacing(
        "Content-Length: 0",
        with: "Transfer-Encoding: chunked"
      )
      let size = String(Self.chat.utf8.count, radix: 16)
      let small = try await door.ask(chunked + "\(size)\r\n\(Self.chat)\r\n0\r\n\r\n")
      #expect(Self.status(of: small) == "200")
      let piece = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
      let endless = try await door.ask(chunked + String(repeating: piece, count: 17))
      #expect(Self.status(of: endless) == "413")
    }
    #expect(service.prompts.count == 2)
  }

  @Test func `is open to the pages of a named origin, and to no others`() async throws {
    let service = FakeSessions()
    try await TestDoor.open(origins: ["https://chat.example"], serving: service) { door in
      let origin = "Origin: https://chat.example"
      let answer = try await door.ask(door.request([origin], path: Self.path, body: Self.chat))
      #expect(Self.status(of: answer) == "200")
      let lines = answer.lowercased().components(separatedBy: "\r\n")
      #expect(lines.contains("access-control-allow-origin: https://chat.example"))
      #expect(lines.contains { $0.hasPrefix("access-control-expose-headers: x-request-id") })
      #expect(
        lines.contains { $0.hasPrefix("access-control-expose") && $0.contains("x-should-retry") }
      )
      // Its browser asks first, without the token.
      func ask(first origin: String, path: String = Self.path) async throws -> String {
        let lines = [
          "OPTIONS \(path) HTTP/1.1", "Host: 127.0.0.1:\(door.port)", "Origin: \(origin)",
          "Access-Control-Request-Method: POST",
          "Access-Control-Request-Headers: X-Stainless-OS,x-other, x-stainless-lang",
        ]
        return try await door.ask(lines.joined(separator: "\r\n") + "\r\n\r\n").lowercased()
      }
      let allowed = try await ask(first: "https://chat.example")
      #expect(Self.status(of: allowed) == "204")
      #expect(allowed.contains("access-control-allow-headers: authorization, content-type"))
      #expect(allowed.contains("x-openwebui-chat-id, x-stainless-os, x-stainless-lang\r\n"))
      #expect(!allowed.contains("x-other"))
      for (origin, path) in [
        ("https://evil.example", Self.path), ("null", Self.path),
        ("https://chat.example:1", Self.path), ("https://chat.example", "/v1/prompts"),
      ] {
        let refused = try await ask(first: origin, path: path)
        #expect(Self.status(of: refused) == "403", "\(origin) \(path)")
        #expect(!refused.contains("access-control"), "\(origin) \(path)")
      }
      // The token is still needed, and an error can be read by the page.
      let stranger = try await door.ask(
        door.request([origin], token: nil, path: Self.path, body: Self.chat)
      )
      #expect(Self.status(of: stranger) == "401")
      #expect(stranger.lowercased().contains("access-control-allow-origin: https://chat.example"))
      let own = try await door.ask(door.request([origin]))
      #expect(Self.status(of: own) == "403")
    }
    #expect(service.prompts.count == 1)
  }

  @Test(arguments: [false, true])
  func `cancels a turn whose client has gone`(isStreaming: Bool) async throws {
    let service = FakeSessions { _ in .init(isEndless: true) }
    try await TestDoor.open(serving: service) { door in
      let stream = #","stream":true}"#
      let body = isStreaming ? String(Self.chat.dropLast()) + stream : Self.chat
      let connection = try await door.connect()
      try await connection.write(Data(door.request(path: Self.path, body: body).utf8))
      if isStreaming { _ = try await connection.read(atMost: 4096) }
      _ = await service.arrivals.first { _ in true }
      try connection.close()
      let session = await service.abandonments.first { _ in true }
      #expect(session == service.prompts.first?.session)
    }
  }

  @Test func `keeps a background response although its client has gone`() async throws {
    let service = FakeSessions { _ in .init(isEndless: true) }
    try await TestDoor.open(serving: service) { door in
      let body = #"{"model":"clerk","input":"a","background":true}"#
      let answer = try await door.ask(door.request(path: OpenAIRoutes.responses, body: body))
      #expect(answer.contains(#""status": "in_progress""#))
      // By now, the connection of the first request is closed.
      let id = "\(ResponseID(turn: 1))"
      let read = door.request(path: "\(OpenAIRoutes.responses)/\(id)", body: "")
      #expect(try await door.ask(read.replacing("POST", with: "GET")).contains("in_progress"))
      #expect(service.abandonedSessions == [])
    }
  }

  @Test(arguments: [
    ("https://chat.example", true), ("http://localhost:3000", true), ("https://a.b:1/x", false),
    ("chat.example", false), ("*", false), ("null", false), ("https://", false),
  ])
  func `takes origins as browsers write them`(text: String, isOrigin: Bool) {
    #expect((PageOrigin(text) != nil) == isOrigin)
  }
}
