import Foundation
import TestSupport

/// Clients of the Model Context Protocol that have the token, and send what no client should.
struct Babbler: SeededChoices {
  static let tool = "ask_porter"

  let port: UInt16
  let token: String
  var random: Seeded

  init(port: UInt16, token: String, seed: UInt64) {
    (self.port, self.token) = (port, token)
    random = Seeded(seed)
  }

  /// Returns a call of the porter's tool, with progress.
  func call(prompt: String, session: String) -> [UInt8] {
    let parameters =
      #""name":"\#(Self.tool)","arguments":{"prompt":"\#(prompt)","session":"\#(session)"}"#
    return request(
      Self.standalone("tools/call", parameters),
      fields: Self.fields("tools/call", name: Self.tool)
    )
  }

  /// Returns a request to hear of changes, whose answer is a stream on which nothing comes.
  func listen() -> [UInt8] {
    request(
      Self.standalone("subscriptions/listen", #""notifications":{"resourcesListChanged":false}"#),
      fields: ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"]
    )
  }

  /// Returns the next request that begins nothing: its tool, where it names one, does not exist.
  mutating func next() -> [UInt8] {
    var body = Self.standalone(
      pick("tools/call", "tools/list", "prompts/get", "resources/read", "resources/list", "ping"),
      pick(
        #""name":"ask_absent","arguments":{"prompt":"open the door"}"#,
        #""uri":"orchestrator://session/%00%ff","cursor":"-1""#,
        #""name":"ask_absent","requestState":"guess","inputResponses":{"a":[]}"#,
        #""cursor":7,"name":{},"uri":null"#
      )
    )
    var fields = Self.fields("tools/call", name: "ask_absent")
    switch number(0, 9) {
    case 0: body = String(body.prefix(number(0, body.count)))
    case 1: body = flipped(body)
    case 2: body = String(repeating: pick("[", #"{"a":"#, #"{"params":["#), count: 5_000)
    case 3: body = "[\(body),\(body)]"
    case 4:
      body = body.replacing(
        #""id":1"#,
        with: pick(
          #""id":1e999"#,
          #""id":null"#,
          #""id":[1]"#,
          #""id":"\u0000""#,
          #""id":1,"id":2"#
        )
      )
    case 5:
      body = body.replacing(
        "2026-07-28",
        with: pick("2099-01-01", "2025-11-25", "", String(repeating: "9", count: 10_000))
      )
    case 6: fields = [pick("Mcp-Session-Id: guess", "Mcp-Session-Id: ", "Mcp-Method: tools/call")]
    case 7: fields += [pick("Mcp-Name: =?base64?////?=", "Mcp-Method: x", "Accept: text/html")]
    case 8: body = pick(#"{"jsonrpc":"2.0"}"#, "null", "7", #""text""#, "{}", "\u{0}", "")
    default:
      body = pick(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        #"{"jsonrpc":"2.0","id":"question-1","result":{"action":"accept"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}"#
      )
    }
    return request(body, fields: fields)
  }

  private mutating func flipped(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<number(1, 8) { bytes[number(0, bytes.count - 1)] = UInt8(number(0, 255)) }
    // A character that replaces bytes is as hostile as they are.
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func standalone(_ method: String, _ parameters: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"_meta":{"progressToken":1,"#
      + #""io.modelcontextprotocol/protocolVersion":"2026-07-28","#
      + #""io.modelcontextprotocol/clientCapabilities":{}},\#(parameters)}}"#
  }

  private static func fields(_ method: String, name: String) -> [String] {
    ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: \(method)", "Mcp-Name: \(name)"]
  }

  private func request(_ body: String, fields: [String]) -> [UInt8] {
    let lines = [
      "POST /mcp HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)",
      "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
    ]
    return Array(((lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
