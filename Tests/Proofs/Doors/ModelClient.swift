import Foundation
import TestSupport

/// Clients of models that have the token, and send what no client should.
struct ModelClient: SeededChoices {
  let port: UInt16
  let token: String
  var random: Seeded

  init(port: UInt16, token: String, seed: UInt64) {
    (self.port, self.token) = (port, token)
    random = Seeded(seed)
  }

  /// Returns a request that is answered.
  func honest(prompt: String, isStreaming: Bool = false) -> [UInt8] {
    request(body: Self.body(prompt: prompt, isStreaming: isStreaming))
  }

  private static func body(prompt: String, isStreaming: Bool = false) -> String {
    #"{"model":"porter","messages":[{"role":"user","content":"\#(prompt)"}],"#
      // In one session, so that one worker is enough.
      + #""metadata":{"session":"models"},"stream":\#(isStreaming)}"#
  }

  /// Returns the next request that asks nothing which could be answered.
  mutating func hostile() -> [UInt8] {
    let words = "open the door"
    switch number(0, 11) {
    // A model that there is none of, a message that there is none of, and values of other types.
    case 0: return request(body: Self.body(prompt: words).replacing("porter", with: name()))
    case 1: return request(body: #"{"model":"porter","messages":\#(value())}"#)
    case 2: return request(body: #"{"model":\#(value()),"messages":[]}"#)
    case 3:
      return request(body: Self.body(prompt: words, isStreaming: true).replacing("true", with: "7"))
    case 4: return request(body: Self.body(prompt: words).dropLast(number(1, 60)) + "")
    case 5:
      let depth = number(200, 200_000)
      return request(body: String(repeating: pick("[", #"{"a":"#), count: depth))
    case 6:
      var bytes = request(body: Self.body(prompt: words))
      // In the body, at a place where every other character breaks the JSON.
      bytes[bytes.count - 1] = UInt8.random(in: 0...255, using: &random) & 0x5F
      return bytes
    case 7:
      let id = pick("resp_0", "resp_-1", "resp_%00", "..%2f..%2fstatus", "resp_9223372036854775807")
      return request(method: pick("GET", "DELETE"), path: "/v1/responses/\(id)", body: "")
    case 8:
      return request(
        path: "/v1/responses",
        body: #"{"model":"porter","input":"\#(words)","previous_response_id":"resp_999999"}"#
      )
    case 9:
      let url = pick(
        "http://127.0.0.1/",
        "file:///etc/passwd",
        "data:image/png;base64,AAAA",
        "data:,"
      )
      return request(
        body: #"{"model":"porter","messages":[{"role":"user","content":[{"type":"image_url","#
          + #""image_url":{"url":"\#(url)"}}]}]}"#
      )
    case 10:
      let session = pick("\\u0000", String(repeating: "x", count: 5000))
      return request(
        path: "/v1/responses",
        body: #"{"model":"porter","input":"\#(words)","conversation":"\#(session)"}"#
      )
    default:
      let path = pick("/v1/chat/completions/", "/v1/responses/x/y/z", "/v1/models/%ff", "/v1/chat")
      return request(method: pick("GET", "POST", "PUT"), path: path, body: "{}")
    }
  }

  private mutating func name() -> String {
    pick("nemo", "", "../porter", "porter\\u0000", String(repeating: "x", count: 100_000))
  }

  private mutating func value() -> String {
    pick("null", "7", "[]", "{}", "[null]", "[[]]", #"[{"role":"user"}]"#, "1e999", #""text""#)
  }

  func request(
    method: String = "POST",
    path: String = "/v1/chat/completions",
    body: String
  ) -> [UInt8] {
    let lines = [
      "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token)",
      "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
    ]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
