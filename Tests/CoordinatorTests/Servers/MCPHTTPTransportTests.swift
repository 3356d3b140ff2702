import Foundation
import MCP
import Supervision
import TestSupport
import Testing
import Transcripts

@testable import Coordinator

@Suite(.timeLimit(.minutes(1)))
struct `A server behind a URL` {
  /// A listener on the loopback interface whose connections a test accepts one by one.
  private final class Listener {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let port: UInt16

    init() throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let descriptor = descriptor
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0
            && getsockname(descriptor, address, &size) == 0
        }
      }
      try #require(result)
      port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// Whether a connection waits to be accepted.
    var isAskedFor: Bool {
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&wanted, 1, 0) == 1
    }

    /// Accepts a connection, answers its request, and returns that.
    func answer(
      _ body: String,
      status: String = "200 OK",
      session: String? = nil,
      type: String = "application/json"
    ) async throws -> String {
      try await eventually("a connection is made") { isAskedFor }
      let connection = accept(descriptor, nil, nil)
      defer { close(connection) }
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      var request = ""
      while !request.hasSuffix("}"), !(request.isBare && request.hasSuffix("\r\n\r\n")) {
        let count = read(connection, &bytes, bytes.count)
        guard count > 0 else { break }
        request += String(decoding: bytes[..<count], as: UTF8.self)
      }
      let response = Array(
        """
        HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\
        \(session.map { "mcp-session-id: \($0)\r\n" } ?? "")Connection: close\r\n\r\n\(body)
        """.utf8
      )
      #expect(write(connection, response, response.count) == response.count)
      return request
    }
  }

  private func transport(
    to listener: Listener,
    headers: [String: String] = [:],
    maximumWaitingBytes: Int = ServerProcess.maximumWaitingBytes
  ) -> MCPHTTPTransport {
    MCPHTTPTransport(
      url: "http://127.0.0.1:\(listener.port)/mcp",
      headers: headers,
      log: WorkerLog(path: "/dev/null"),
      maximumWaitingBytes: maximumWaitingBytes
    )
  }

  private static let request = JSONRPCMessage.request(id: JSONRPCID(7), JSONRPCCall("tools/list"))

  @Test func `is sent requests only, whose answers come back`() async throws {
    let listener = try Listener()
    let transport = transport(to: listener)
    transport.send(.result(id: .string("its own"), .object([])))
    transport.send(.failure(id: .string("its own"), JSONRPCError(.unknownMethod, "")))
    transport.send(Self.request)
    let answer = #"{"jsonrpc": "2.0", "id": 7, "result": {}}"#
    #expect(try await listener.answer(answer).contains(#""id": 7"#))
    var events = transport.events.makeAsyncIterator()
    #expect(await events.next() == .output(Array((answer + "\n").utf8)))
    #expect(!listener.isAskedFor)
    transport.kill()
  }

  @Test(arguments: [[:], ["Traceparent": "own"]])
  func `is told the span of a call, unless a person named one for it`(headers: [String: String])
    async throws
  {
    let listener = try Listener()
    let transport = transport(to: listener, headers: headers)
    let meta = GeneratedContent.object([(MetaKey.traceparent, .text("00-1-2-01"))])
    let call = JSONRPCCall("tools/call", .object([("name", .text("log")), ("_meta", meta)]))
    transport.send(.request(id: JSONRPCID(7), call))
    let request = try await listener.answer(#"{"jsonrpc": "2.0", "id": 7, "result": {}}"#)
    let told = request.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("traceparent:") }
    #expect(told == (headers.isEmpty ? ["traceparent: 00-1-2-01"] : ["Traceparent: own"]))
    transport.kill()
  }

  private static let initialize = JSONRPCMessage.request(
    id: JSONRPCID(1),
    JSONRPCCall("initialize")
  )
  private static let begun =
    #"{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}}"#

  @Test func `is told in which session and version each message is, once that is agreed on`()
    async throws
  {
    let listener = try Listener()
    let transport = transport(to: listener)
    var events = transport.events.makeAsyncIterator()
    transport.send(Self.initialize)
    let first = try await listener.answer(Self.begun, session: "s-1")
    #expect(!first.lowercased().contains("mcp-protocol-version"))
    #expect(await events.next() == .output(Array((Self.begun + "\n").utf8)))
    // What gets no answer arrives before what is sent after it.
    transport.send(.notification(JSONRPCCall("notifications/initialized")))
    transport.send(Self.request)
    let note = try await listener.answer("", status: "202 Accepted")
    #expect(note.contains("notifications/initialized"))
    #expect(note.contains("Mcp-Session-Id: s-1\r\n"))
    let answer = #"{"jsonrpc": "2.0", "id": 7, "result": {}}"#
    let request = try await listener.answer(answer)
    #expect(request.contains("MCP-Protocol-Version: 2025-06-18\r\n"))
    #expect(request.contains("Mcp-Session-Id: s-1\r\n"))
    #expect(await events.next() == .output(Array((answer + "\n").utf8)))
    async let end: Void = transport.end(patience: .seconds(10))
    let last = try await listener.answer("")
    #expect(last.hasPrefix("DELETE /mcp"))
    #expect(last.contains("Mcp-Session-Id: s-1\r\n"))
    await end
    #expect(await events.next() == .ended(.code(0)))
  }

  @Test func `is listened to where it announces changes, until it says that it has no stream`()
    async throws
  {
    let listener = try Listener()
    let transport = transport(to: listener)
    var events = transport.events.makeAsyncIterator()
    transport.send(Self.initialize)
    let result =
      #"{"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": true}}}"#
    let begun = #"{"jsonrpc": "2.0", "id": 1, "result": \#(result)}"#
    _ = try await listener.answer(begun, session: "s-1")
    _ = await events.next()
    transport.send(.notification(JSONRPCCall("notifications/initialized")))
    _ = try await listener.answer("", status: "202 Accepted")
    let change = #"{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}"#
    let stream = try await listener.answer("data: \(change)\n\n", type: "text/event-stream")
    #expect(stream.hasPrefix("GET /mcp"))
    for header in [
      "Accept: text/event-stream", "MCP-Protocol-Version: 2025-06-18", "Mcp-Session-Id: s-1",
    ] {
      #expect(stream.contains("\(header)\r\n"))
    }
    #expect(await events.next() == .output(Array((change + "\n").utf8)))
    let again = try await listener.answer("", status: "405 Method Not Allowed")
    #expect(again.hasPrefix("GET /mcp"))
    transport.send(Self.request)
    let next = try await listener.answer(#"{"jsonrpc": "2.0", "id": 7, "result": {}}"#)
    #expect(next.contains("tools/list"))
    transport.kill()
  }

  @Test func `is begun with again when it no longer knows the session`() async throws {
    let listener = try Listener()
    let transport = transport(to: listener)
    var events = transport.events.makeAsyncIterator()
    transport.send(Self.initialize)
    _ = try await listener.answer(Self.begun, session: "s-1")
    _ = await events.next()
    transport.send(Self.request)
    _ = try await listener.answer("", status: "404 Not Found")
    #expect(await events.next() == .ended(.code(0)))
    #expect(transport.lastLines(1) == ["it no longer knows the session."])
  }

  @Test func `fails a request that it answers under no identity`() async throws {
    let listener = try Listener()
    let transport = transport(to: listener)
    var events = transport.events.makeAsyncIterator()
    transport.send(Self.request)
    let refusal =
      #"{"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": ""}}"#
    _ = try await listener.answer(refusal, status: "400 Bad Request")
    #expect(await events.next() == .output(Array((refusal + "\n").utf8)))
    guard case .output(let line) = await events.next() else {
      Issue.record("The request has no answer.")
      return
    }
    #expect(String(decoding: line, as: UTF8.self).contains(#""id": 7, "error""#))
    transport.kill()
  }

  @Test func `is closed when more than its bound waits to be read`() async throws {
    let listener = try Listener()
    let answer = #"{"jsonrpc": "2.0", "id": 7, "result": {}}"#
    let line = Array((answer + "\n").utf8)
    let transport = transport(to: listener, maximumWaitingBytes: line.count * 3 / 2)
    var events = transport.events.makeAsyncIterator()
    for _ in 1...2 {
      transport.send(Self.request)
      _ = try await listener.answer(answer)
      #expect(await events.next() == .output(line))
      transport.noteRead(line.count)
    }
    for _ in 1...2 {
      transport.send(Self.request)
      _ = try await listener.answer(answer)
    }
    #expect(await events.next() == .output(line))
    #expect(await events.next() == .ended(.code(0)))
  }

  @Test func `is sent nothing more once it is closed`() async throws {
    let listener = try Listener()
    let transport = transport(to: listener)
    transport.kill()
    transport.send(Self.request)
    var events = transport.events.makeAsyncIterator()
    #expect(await events.next() == .ended(.code(0)))
    #expect(await events.next() == nil)
    #expect(!listener.isAskedFor)
  }
}

extension String {
  /// Whether it begins a request that has no body.
  fileprivate var isBare: Bool { hasPrefix("DELETE ") || hasPrefix("GET ") }
}
