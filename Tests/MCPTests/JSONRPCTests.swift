import MCP
import Testing
import Transcripts

struct `JSON-RPC messages` {
  private func decode(_ text: String) throws -> [JSONRPCLineDecoder.Line] {
    var decoder = JSONRPCLineDecoder()
    decoder.append(text.utf8)
    var lines: [JSONRPCLineDecoder.Line] = []
    while let line = try decoder.next() { lines.append(line) }
    return lines
  }

  private func message(_ text: String) throws -> JSONRPCMessage {
    try #require(try decode(text + "\n").first).get()
  }

  @Test(arguments: [
    #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"z": 1, "a": 2}}"#,
    #"{"jsonrpc": "2.0", "id": "1", "method": "ping"}"#,
    #"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1.50}}"#,
    #"{"jsonrpc": "2.0", "id": 90071992547409931, "result": {"big": 1e400}}"#,
    #"{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "unreadable"}}"#,
    #"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32022, "message": "", "data": [1]}}"#,
  ])
  func `are written as they were read`(text: String) throws {
    #expect(String(decoding: try message(text).line, as: UTF8.self) == text + "\n")
  }

  @Test func `have identifiers that differ by kind and by digits`() {
    let ids: [JSONRPCID] = [.string("1"), .number("1"), .number("1.0"), JSONRPCID(2)]
    #expect(Set(ids).count == ids.count)
  }

  @Test(arguments: [
    (#"{"id": 7, "method": "ping"}"#, JSONRPCID(7)),
    (#"{"jsonrpc": "2.0", "id": 7, "method": 1}"#, JSONRPCID(7)),
    (#"{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}"#, JSONRPCID(7)),
    (#"{"jsonrpc": "2.0", "id": [], "method": "ping"}"#, nil),
    (#"{"jsonrpc": "2.0", "result": {}}"#, nil),
    (#"{"jsonrpc": "2.0", "id": "x"}"#, .string("x")),
    (#"{"jsonrpc": "2.0", "id": 7, "error": {"message": "no code"}}"#, JSONRPCID(7)),
  ])
  func `that are invalid keep the identifier to answer to`(text: String, id: JSONRPCID?) throws {
    let line = try #require(try decode(text + "\n").first)
    #expect(throws: InvalidMessage.self) { try line.get() }
    guard case .failure(let invalid) = line else { return }
    #expect(invalid.id == id)
  }
}

struct `The decoder of lines` {
  @Test func `reads messages that arrive byte by byte`() throws {
    var decoder = JSONRPCLineDecoder()
    var messages: [JSONRPCMessage] = []
    let text =
      #"{"jsonrpc":"2.0","method":"ä"}"# + "\r\n\n" + #"{"jsonrpc":"2.0","method":"b"}"# + "\n"
    for byte in text.utf8 {
      decoder.append([byte])
      if let line = try decoder.next() { messages.append(try line.get()) }
    }
    #expect(messages == [.notification(JSONRPCCall("ä")), .notification(JSONRPCCall("b"))])
    #expect(decoder.skippedLines == 0)
  }

  @Test func `skips and counts what does not begin like a JSON object`() throws {
    var decoder = JSONRPCLineDecoder()
    let noise = ["Welcome!", "[1]", "12", "\"text\""]
    decoder.append((noise.joined(separator: "\n") + "\n").utf8)
    decoder.append(#"{"jsonrpc":"2.0","method":"a"}"#.utf8)
    #expect(try decoder.next() == nil)
    decoder.append("\n".utf8)
    #expect(try decoder.next()?.get() == .notification(JSONRPCCall("a")))
    #expect(decoder.skippedLines == noise.count)
    #expect(decoder.firstSkipped == "Welcome!")
  }

  @Test(arguments: [
    #"{"broken": "#, "{} {}", " {",
    #"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"deep": "#
      + String(repeating: "[", count: 200) + String(repeating: "]", count: 200) + "}}",
  ])
  func `reports what begins like a JSON object and cannot be read`(text: String) throws {
    var decoder = JSONRPCLineDecoder()
    decoder.append((text + "\n").utf8)
    guard case .failure(let invalid)? = try decoder.next() else {
      Issue.record("It is read.")
      return
    }
    #expect(
      ServerSession.refusal(of: invalid).content["error"]?["code"]?.integer == -32700
    )
    #expect(invalid.id == nil)
    #expect(decoder.skippedLines == 1)
    #expect(try decoder.next() == nil)
  }

  @Test func `refuses a line beyond its limit while it is still being read`() throws {
    var decoder = JSONRPCLineDecoder(maximumLine: 10)
    decoder.append("0123456789".utf8)
    #expect(try decoder.next() == nil)
    decoder.append("0".utf8)
    let error = #expect(throws: JSONRPCLineDecoder.LineTooLong.self) { try decoder.next() }
    #expect(error?.limit == 10)
  }
}
