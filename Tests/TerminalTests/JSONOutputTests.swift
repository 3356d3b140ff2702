import AgentKit
import Foundation
import Testing

@testable import Terminal

@Suite struct `JSON that is written` {
  // Escape, delete, the first and last of the later controls, embedding, override, isolates.
  private static let obeyed = [
    "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{202A}", "\u{202E}", "\u{2066}",
    "\u{2069}",
  ]

  @Test(arguments: obeyed)
  func `has nothing that a terminal obeys, and means the same`(character: String) throws {
    let value = ["a\(character)": "\(character)b\n\(character)"]
    for json in try [JSONOutput.document(value), JSONOutput.line(value)] {
      #expect(json.forTerminal == json)
      #expect(json.utf8.allSatisfy { $0 == UInt8(ascii: "\n") || (0x20..<0x7F).contains($0) })
      #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == value)
    }
  }

  @Test func `has all digits of a number in an answer`() throws {
    let json = #"{"id": 9007199254740993, "total": 1234567890123456789012345.5}"#
    let segment = Transcript.StructuredSegment(
      schemaName: "Any",
      content: try GeneratedContent(json: json)
    )
    let entry = Transcript.Entry.response(.init(segments: [.structure(segment)]))
    let line = try JSONOutput.line(entry)
    #expect(
      line.contains(#""content":{"id":9007199254740993,"total":1234567890123456789012345.5}"#)
    )
    let read = try JSONDecoder().decode(Transcript.Entry.self, from: Data(line.utf8))
    #expect(read == entry)
  }

  @Test func `has such characters by their numbers`() throws {
    let json = try JSONOutput.line(["a": "\u{202E}x\u{9B}"])
    #expect(json == #"{"a":"\u202ex\u009b"}"#)
  }

  @Test(arguments: ["naïve", "日本", "שלום", "👍🏽", "می\u{200C}خواهم", "\u{E0061}", "\u{A0}"])
  func `has all other characters as they are`(text: String) throws {
    let json = try JSONOutput.line([text: text])
    #expect(json == "{\"\(text)\":\"\(text)\"}")
  }
}
