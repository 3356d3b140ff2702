import MCP
import Testing
import Transcripts

struct `The headers of a request` {
  private func headers(_ method: String, _ parameters: GeneratedContent? = nil) -> [String] {
    MCPHTTPHeaders.headers(for: .request(id: JSONRPCID(1), JSONRPCCall(method, parameters)))
      .map { "\($0.name): \($0.value)" }
  }

  @Test func `repeat its method, and the name of a tool`() {
    #expect(headers("tools/list").contains("Mcp-Method: tools/list"))
    #expect(headers("tools/list").contains("MCP-Protocol-Version: 2026-07-28"))
    #expect(!headers("tools/list").contains { $0.hasPrefix("Mcp-Name") })
    let call = headers("tools/call", .object([("name", .text("log"))]))
    #expect(call.contains("Mcp-Name: log"))
  }

  @Test func `name the span of a call`() {
    let meta = GeneratedContent.object([("traceparent", .text("00-1-2-01"))])
    #expect(headers("tools/call", .object([("_meta", meta)])).contains("traceparent: 00-1-2-01"))
    #expect(!headers("tools/call").contains { $0.hasPrefix("traceparent") })
  }

  @Test func `name the session and the version that were agreed on`() {
    let message = JSONRPCMessage.request(id: JSONRPCID(1), JSONRPCCall("tools/list"))
    let headers = MCPHTTPHeaders.headers(for: message, version: .june2025, session: "s-1")
    #expect(headers.contains { $0 == ("Mcp-Session-Id", "s-1") })
    #expect(headers.contains { $0 == ("MCP-Protocol-Version", "2025-06-18") })
    #expect(!headers.contains { $0.name == "Mcp-Method" })
    // Which versions there are is not known before the answer.
    let first = JSONRPCMessage.request(id: JSONRPCID(1), JSONRPCCall("initialize"))
    #expect(!MCPHTTPHeaders.headers(for: first).contains { $0.name == "MCP-Protocol-Version" })
  }

  @Test(arguments: [
    ("ä", "=?base64?w6Q=?="), ("a\r\nX: y", "=?base64?YQ0KWDogeQ==?="), ("=?x", "=?base64?PT94?="),
  ])
  func `hold no character that is not allowed in them`(name: String, value: String) {
    let call = headers("tools/call", .object([("name", .text(name))]))
    #expect(call.contains("Mcp-Name: \(value)"))
  }
}
