import Foundation
import Testing

@testable import Transcripts

@Suite struct `The coder of JSON` {
  private enum Shape: Codable, Equatable {
    case point
    case circle(radius: Double, String?)
    case many([Shape], named: [String: Int])
  }

  private struct Everything: Codable, Equatable {
    var text = "a \"crane\"\\/\n\r\t\u{8}\u{C}\u{1}\u{7F} \u{1F54A}\u{FE0F} é"
    var data = Data([0, 1, 2, 255])
    var url = URL(string: "https://example.org/a?b=%20c")
    var decimal = Decimal(string: "1234567890123456789.0123456789")
    var date = Date(timeIntervalSinceReferenceDate: 0.1)
    var doubles = [0, -0.0, 0.1, 1 / 3, 5, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    var float = Float(0.1)
    var integers = [Int.min, -1, 0, .max]
    var small = [Int8.min, .max]
    var unsigned = [UInt64.max]
    var missing: Int?
    var flags = [true, false]
    var holes = [1, nil, 3]
    var nested = [["b": [1: "x"], "a": [:]]]
    var shapes: [Shape] = [
      .point, .circle(radius: 2, nil), .many([.circle(radius: 0.5, "x")], named: ["b": 2, "a": 1]),
    ]
    var empty: [String: [Int]] = [:]
  }

  private static var foundation: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  @Test func `writes what Foundation's encoder with sorted keys writes`() throws {
    let written = try JSONCoder.text(of: Everything())
    #expect(written == String(decoding: try Self.foundation.encode(Everything()), as: UTF8.self))
    for entry in Sample.entries {
      let written = try JSONCoder.text(of: entry)
      #expect(written == String(decoding: try Self.foundation.encode(entry), as: UTF8.self))
    }
  }

  @Test func `reads what it writes, and so does Foundation's`() throws {
    let written = try JSONCoder.encode(Everything())
    #expect(try JSONCoder.decode(from: written) == Everything())
    #expect(try JSONDecoder().decode(Everything.self, from: Data(written)) == Everything())
    for entry in Sample.entries {
      #expect(try JSONCoder.decode(from: JSONCoder.encode(entry)) == entry)
    }
  }

  @Test func `reads objects with many members, of which the first of a key counts`() throws {
    let members = (0..<1000).map { "\"k\($0 % 500)\": \($0)" }.joined(separator: " ,\n")
    let read: [String: Int] = try JSONCoder.decode(from: Array("{\(members)}".utf8))
    #expect(read == Dictionary(uniqueKeysWithValues: (0..<500).map { ("k\($0)", $0) }))
    let few: [String: Int] = try JSONCoder.decode(from: Array(#"{"a":1,"\u0061":2}"#.utf8))
    #expect(few == ["a": 1])
  }

  @Test(arguments: [
    (#""\u00e9\ud83d\udd4A\/\b\f\n\r\t\"\\""#, "é\u{1F54A}/\u{8}\u{C}\n\r\t\"\\"),
    (#""""#, ""), (" \"\u{7F}\"\n", "\u{7F}"),
  ]) func `reads escapes`(json: String, text: String) throws {
    #expect(try JSONCoder.decode(from: Array(json.utf8)) == text)
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
    "nul", "nulll", "tru", "01", "-", "1.", ".5", "+1", "1e", "1e+", "--1", "1 1", "[]]", "NaN",
    "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"", "\"\\\n\"", "\"\u{1}\"", "\"\n\"", "'a'",
    "\u{FEFF}1",
  ]) func `refuses what is no JSON`(json: String) {
    #expect(throws: DecodingError.self) { try JSONDocument(Array(json.utf8)) }
    #expect(throws: DecodingError.self) { try JSONDocument(Array("{\"a\":[1,\(json),2]}".utf8)) }
  }

  @Test(arguments: ["\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\""])
  func `refuses half a character`(json: String) {
    #expect(throws: DecodingError.self) {
      _ = try JSONCoder.decode(String.self, from: Array(json.utf8))
    }
    #expect(throws: DecodingError.self) {
      _ = try JSONCoder.decode([String: Int].self, from: Array("{\(json):1}".utf8))
    }
  }

  @Test(.timeLimit(.minutes(1))) func `reads each key once, however often it is written`() throws {
    var nested = "0"
    for _ in 0..<60 { nested = "{\"a\":\(nested),\"a\":\(nested == "0" ? "0" : "1")}" }
    _ = try JSONCoder.decode(CodableContent.self, from: Array(nested.utf8))
    let long = String(repeating: "x", count: 1 << 20)
    let repeated = Array(repeating: "\"a\":\"\"", count: 100_000).joined(separator: ",")
    let read: [String: String] = try JSONCoder.decode(
      from: Array("{\"a\":\"\(long)\",\(repeated)}".utf8)
    )
    #expect(read == ["a": long])
  }

  @Test func `refuses bytes that are no UTF-8, and nesting without end`() throws {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      #expect(throws: DecodingError.self) {
        _ = try JSONCoder.decode(String.self, from: [0x22] + bytes + [0x22])
      }
    }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: DecodingError.self) {
      _ = try JSONCoder.decode([Int].self, from: Array(deep.utf8))
    }
  }

  @Test func `refuses numbers that a type cannot hold`() throws {
    #expect(try JSONCoder.decode(Int.self, from: Array("5e2".utf8)) == 500)
    for json in ["1.5", "1e30", "9223372036854775808", "true", "\"1\""] {
      #expect(throws: DecodingError.self) {
        _ = try JSONCoder.decode(Int.self, from: Array(json.utf8))
      }
    }
    #expect(throws: DecodingError.self) {
      _ = try JSONCoder.decode(Double.self, from: Array("1e400".utf8))
    }
    #expect(throws: EncodingError.self) { try JSONCoder.encode([Double.infinity]) }
  }

  @Test func `leaves an entry as its worker wrote it`() throws {
    let written = try RawEntry(Sample.entries[0]).json
    let spaced = "{ " + written.dropFirst().dropLast() + "\n}"
    let json = "[\(spaced) , \(written)]"
    let entries: [RawEntry] = try JSONCoder.decode(from: Array(json.utf8))
    #expect(entries.map(\.json) == [spaced, written])
    #expect(try JSONCoder.text(of: entries) == "[\(spaced),\(written)]")
    // Other coders keep its bytes in a string.
    let stored = try JSONEncoder().encode(entries)
    #expect(
      try JSONDecoder().decode([RawEntry].self, from: stored).map(\.json) == [spaced, written]
    )
  }

  /// Entries of every kind.
  private enum Sample {
    static let entries: [Transcript.Entry] = [
      .prompt(.init(segments: [.text(.init(content: "Fold a \"crane\""))])),
      .toolCalls(
        .init([
          .init(
            id: "1",
            metadata: ["signature": GeneratedContent("abc")],
            toolName: "look",
            arguments: GeneratedContent(properties: ["z": 1, "a": 0.5])
          )
        ])
      ),
      .toolOutput(
        .init(
          id: "1",
          toolName: "look",
          segments: [
            .structure(
              .init(
                id: "s",
                schemaName: "Seen",
                content: GeneratedContent(properties: ["big": 12345678901234567, "some": true])
              )
            )
          ]
        )
      ),
      .response(.init(segments: [.text(.init(content: "Done\n"))])),
    ]
  }
}
