import Foundation
import TestSupport

/// Requests that must be refused.
struct Intruder: SeededChoices {
  enum Way: String, CaseIterable {
    case noToken, wrongToken, tokenElsewhere, otherHost, otherOrigin, twoFields, hugeHead, hugeBody
    case unboundedBody, smuggled, otherProtocol, rubbish, pipelined
  }

  /// The text of an intruder's prompt, so that it can be searched for.
  static let words = "open the door"

  let port: UInt16
  /// The token, which an intruder does not have; a page of another origin may make the browser of a
  /// user who has it send it.
  let token: String
  var random: Seeded

  init(port: UInt16, token: String, seed: UInt64) {
    (self.port, self.token) = (port, token)
    random = Seeded(seed)
  }

  /// Returns a request that is answered.
  func honest(prompt: String, session: String) -> [UInt8] {
    request(fields: ["Authorization: Bearer \(token)"], prompt: prompt, session: session)
  }

  /// Returns the next request of a kind, to one of the routes that begin turns.
  mutating func request(_ way: Way) -> [UInt8] {
    let words = prompting(way)
    guard way != .rubbish else { return words }
    let text = String(decoding: words, as: UTF8.self)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return Array(text.replacing("/v1/prompts", with: "/mcp").utf8)
    case 1 where way != .hugeBody && way != .unboundedBody:
      return Array(text.replacing("/v1/prompts", with: "/v1/chat/completions").utf8)
    default: return words
    }
  }

  private mutating func prompting(_ way: Way) -> [UInt8] {
    let bearer = "Authorization: Bearer \(token)"
    switch way {
    case .noToken: return request(fields: [])
    case .wrongToken: return request(fields: ["Authorization: \(wrongToken())"])
    case .tokenElsewhere:
      return request(
        fields: [pick("Cookie: token=\(token)", "X-Token: \(token)", "Proxy-\(bearer)")],
        path: pick("/v1/prompts?token=\(token)", "/v1/prompts#\(token)", "/v1/prompts")
      )
    case .otherHost: return request(fields: [bearer], host: otherHost())
    case .otherOrigin: return request(fields: [bearer, "Origin: \(otherOrigin())"])
    case .twoFields:
      return request(
        fields: [
          bearer,
          pick(
            bearer,
            "Host: 127.0.0.1:\(port)",
            "Content-Length: 3",
            "content-length : 3",
            " folded: 1",
            "no colon"
          ),
        ]
      )
    case .hugeHead:
      let much = String(repeating: "x", count: number(17_000, 300_000))
      return request(fields: [bearer, "X-Much: \(much)"])
    case .hugeBody:
      return request(fields: [bearer], length: pick("1048577", "4294967296", "\(Int.max)", "-1"))
    case .unboundedBody:
      return request(fields: [bearer, "Transfer-Encoding: \(pick("chunked", "gzip, chunked"))"])
    case .smuggled:
      // A request in the body of another one that is refused.
      let inner = String(decoding: request(fields: [bearer]), as: UTF8.self)
      return request(fields: [], body: inner)
    case .otherProtocol: return otherProtocol()
    case .rubbish:
      let bytes = (0..<number(1, 3000)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Most are terminated, so that they are answered.
      return bytes + Array(pick("\r\n\r\n", "\r\n\r\n", "\r\n\r\n", "").utf8)
    case .pipelined:
      let refused = request(fields: [])
      return refused + request(fields: [bearer]) + prompting(.rubbish) + request(fields: [bearer])
    }
  }

  private mutating func wrongToken() -> String {
    var changed = Array(token.utf8)
    changed[number(0, changed.count - 1)] ^= 1
    let other = String(decoding: changed, as: UTF8.self)
    let cut = String(token.prefix(number(0, token.utf8.count - 1)))
    return pick(
      "Bearer \(other)",
      "Bearer \(cut)",
      "Bearer \(token)x",
      "Bearer",
      "Bearer \(token) \(token)",
      "Basic \(Data("user:\(token)".utf8).base64EncodedString())",
      token,
      "Bearer \(token.uppercased())x",
      "Bearer %",
      "Bearer \"\(token)\""
    )
  }

  private mutating func otherHost() -> String {
    pick(
      "evil.example",
      "evil.example:\(port)",
      "127.0.0.1.evil.example:\(port)",
      "127.0.0.1:1",
      "localhost.evil.example",
      "127.0.0.1",
      "",
      "2130706433:\(port)",
      "0x7f.1:\(port)",
      "127.1:\(port)",
      "[::1]:\(port)",
      "0.0.0.0:\(port)",
      "127.0.0.1:\(port)@evil.example",
      "evil.example#127.0.0.1:\(port)",
      "127.0.0.1:\(port), evil.example",
      "localhost.:\(port)"
    )
  }

  private mutating func otherOrigin() -> String {
    pick(
      "https://evil.example",
      "http://evil.example:\(port)",
      "null",
      "http://127.0.0.1:1",
      "https://127.0.0.1:\(port)",
      "http://127.0.0.1:\(port).evil.example",
      "file://",
      "http://",
      "http://127.0.0.1:\(port)/",
      "chrome-extension://abc"
    )
  }

  private mutating func otherProtocol() -> [UInt8] {
    let text = String(decoding: request(fields: ["Authorization: Bearer \(token)"]), as: UTF8.self)
    let words = [
      text.replacing("HTTP/1.1", with: "HTTP/2.0"), text.replacing("HTTP/1.1", with: "HTTP/1.2"),
      text.replacing("POST", with: "post"),
      text.replacing(" /v1", with: " http://evil.example/v1"),
      text.replacing(" /v1", with: " v1"), text.replacing(" /v1", with: " */v1"),
      text.replacing("\r\n", with: "\n"), text.replacing("\r\n", with: "\r"),
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /v1/status\r\n\r\n", "\r\n\r\n\r\n\r\n",
      "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}\u{01}\u{FC}\r\n\r\n",
    ]
    return Array(words[number(0, words.count - 1)].utf8)
  }

  private func request(
    fields: [String],
    host: String? = nil,
    path: String = "/v1/prompts",
    length: String? = nil,
    body: String? = nil,
    prompt: String = Intruder.words,
    session: String = "intruder"
  ) -> [UInt8] {
    let body = body ?? #"{"session":"\#(session)","prompt":"\#(prompt)"}"#
    let lines = [
      "POST \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")",
      "Content-Type: application/json", "Content-Length: \(length ?? "\(body.utf8.count)")",
    ]
    return Array(((lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
