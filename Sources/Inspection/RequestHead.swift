import Foundation

/// The head of an HTTP/1.1 request as received.
struct RequestHead: Equatable {
  /// Why a head is rejected.
  enum Fault: Error, Equatable {
    case malformed
    /// The length of the body is not given in advance.
    case unboundedBody
  }

  let requestLine: String
  private let fields: [(name: String, value: String)]

  static func == (one: RequestHead, other: RequestHead) -> Bool { one.bytes == other.bytes }

  /// Parses a head.
  /// - Parameter bytes: Everything before the empty line that ends the head.
  init(_ bytes: some Collection<UInt8>) throws(Fault) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    requestLine = lines.removeFirst()
    let words = requestLine.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0].allSatisfy(\.isUppercase), words[1].hasPrefix("/"),
      words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      ["HTTP/1.1", "HTTP/1.0"].contains(words[2])
    else { throw .malformed }
    var fields: [(name: String, value: String)] = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
        !line.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" })
      else { throw .malformed }
      let name = line[..<colon].lowercased()
      // A space before the colon and a folded line are both ambiguous.
      guard !name.contains(where: \.isWhitespace) else { throw .malformed }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      fields.append((name, value))
    }
    self.fields = fields
  }

  /// Returns the only value of a field; `nil` when it is missing.
  /// - Throws: `Fault` when there are several, because two readers could pick different ones.
  func value(of name: String) throws(Fault) -> String? {
    let values = fields.filter { $0.name == name }
    guard values.count < 2 else { throw .malformed }
    return values.first?.value
  }

  /// The length of the body.
  var bodyLength: Int {
    get throws(Fault) {
      guard try value(of: "transfer-encoding") == nil else { throw .unboundedBody }
      guard let text = try value(of: "content-length") else { return 0 }
      guard let length = Int(text), length >= 0, text.allSatisfy(\.isNumber) else {
        throw .malformed
      }
      return length
    }
  }

  /// The head as passed to the trusted socket: without the token, for a single answer.
  var forwarded: [UInt8] {
    let kept = fields.filter { !["authorization", "connection", "expect"].contains($0.name) }
    return Self.bytes(requestLine, kept + [("connection", "close")])
  }

  private var bytes: [UInt8] { Self.bytes(requestLine, fields) }

  private static func bytes(_ line: String, _ fields: [(name: String, value: String)]) -> [UInt8] {
    let lines = [line] + fields.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
