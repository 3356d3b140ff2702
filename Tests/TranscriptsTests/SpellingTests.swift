import Foundation
import Testing

@testable import Transcripts

/// Checks that handwritten encoding and decoding match Foundation's coders.
@Suite struct `An entry that is spelled` {
  private static func segment(_ text: String) -> Transcript.Segment {
    .text(.init(id: "s/1", content: text))
  }

  private static let calls: [Transcript.ToolCall] = [
    .init(id: "c1", toolName: "look", arguments: GeneratedContent(properties: [:])),
    .init(
      id: "c\"2\"",
      toolName: "look/up",
      arguments: GeneratedContent(properties: ["z": "a\n\"b\"", "a": 1.5])
    ),
  ]

  private static let broken = GeneratedContent(
    kind: .structure(properties: [:], orderedKeys: []),
    id: nil,
    isComplete: false
  )

  static let common: [Transcript.Entry] = [
    .toolCalls(.init(id: "e", calls)), .toolCalls(.init(id: "e", [])),
    .toolOutput(.init(id: "c1", toolName: "look", segments: [segment("1. Fold.\n2. Unfold.")])),
    .toolOutput(.init(id: "", toolName: "", segments: [])),
    .response(.init(id: "e", segments: [segment("Like this: \u{2028}…"), segment("")])),
    .reasoning(.init(id: "e", segments: [segment("Hm.\\")])),
  ]

  static let others: [Transcript.Entry] = [
    .prompt(.init(segments: [segment("Look.")])),
    .instructions(.init(segments: [segment("Be kind.")], toolDefinitions: [])),
    .response(.init(assetIDs: ["m"], segments: [])),
    .response(.init(metadata: ["a": 1], segments: [])),
    .reasoning(.init(segments: [], signature: Data([1]))),
    .reasoning(.init(metadata: ["a": 1], segments: [])),
    .toolCalls(
      .init([
        .init(
          id: "c",
          metadata: ["a": 1],
          toolName: "look",
          arguments: GeneratedContent(properties: [:])
        )
      ])
    ),
    .toolCalls(.init([.init(id: "c", toolName: "look", arguments: broken)])),
    .response(
      .init(segments: [
        .structure(.init(schemaName: "Boat", content: GeneratedContent(properties: ["a": 1])))
      ])
    ),
  ]

  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  @Test(arguments: common)
  func `is written as it is encoded`(entry: Transcript.Entry) throws {
    #expect(try entry.spelled() == Array(Self.encoder.encode(entry)))
  }

  @Test(arguments: common)
  func `is read as it is decoded`(entry: Transcript.Entry) throws {
    let bytes = try #require(entry.spelled())
    #expect(Transcript.Entry(spelled: bytes) == entry)
    #expect(try JSONDecoder().decode(Transcript.Entry.self, from: Data(bytes)) == entry)
  }

  @Test(arguments: others)
  func `is none that has more than most have`(entry: Transcript.Entry) throws {
    #expect(entry.spelled() == nil)
    #expect(Transcript.Entry(spelled: Array(try Self.encoder.encode(entry))) == nil)
  }

  /// Guards against new fields that are not encoded by hand.
  ///
  /// After adding a field, encode it by hand, or exclude values that have it, and then name it
  /// here. Otherwise it would never cross a pipe.
  @Test func `has no field that nobody spells`() {
    func fields(_ value: Any) -> [String?] { Mirror(reflecting: value).children.map(\.label) }
    #expect(fields(Transcript.TextSegment(content: "")) == ["id", "content"])
    #expect(fields(Transcript.ToolCalls([])) == ["id", "calls"])
    #expect(fields(Self.calls[0]) == ["id", "toolName", "arguments", "metadata"])
    #expect(
      fields(Transcript.ToolOutput(id: "", toolName: "", segments: []))
        == ["id", "toolName", "segments"]
    )
    #expect(
      fields(Transcript.Response(segments: [])) == ["id", "segments", "assetIDs", "metadata"]
    )
    #expect(
      fields(Transcript.Reasoning(segments: [])) == ["id", "segments", "signature", "metadata"]
    )
  }

  @Test func `keeps every character`() throws {
    let all = (0...0x10FFFF).compactMap(UInt32.init).compactMap(Unicode.Scalar.init)
    for start in stride(from: 0, to: all.count, by: 4096) {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: all[start..<min(start + 4096, all.count)])
      let segment = Self.segment(String(text))
      let bytes = try #require(segment.spelled())
      #expect(try bytes == Array(Self.encoder.encode(segment)))
      #expect(Transcript.Segment(spelled: bytes) == segment)
    }
  }

  @Test(arguments: [
    #"{"id":"s","text":"a","type":"text"} "#, #"{"id":"s","text":"a","type":"text"},"#,
    #"{"id": "s","text":"a","type":"text"}"#, #"{"text":"a","id":"s","type":"text"}"#,
    #"{"id":"s","text":"a","type":"text""#, #"{"id":"s","text":"a"#, #"{"id":"s","text":"a\"#,
    #"{"id":"s","text":"\u00"#, #"{"id":"s","text":"\u00","type":"text"}"#,
    #"{"id":"s","text":"\u001","type":"text"}"#, #"{"id":"s","text":"\q","type":"text"}"#,
    #"{"id":"s","text":"\u+01f","type":"text"}"#, #"{"id":"s","text":"\u0041","type":"text"}"#,
    #"{"id":"s","text":"\ud800","type":"text"}"#,
    "{\"id\":\"s\",\"text\":\"\t\",\"type\":\"text\"}", "", "{}", "null",
  ])
  func `is left to others where it is spelled in another way`(json: String) {
    #expect(Transcript.Segment(spelled: Array(json.utf8)) == nil)
  }

  @Test func `is left to others where it is not UTF-8`() throws {
    var bytes = try #require(Self.segment("a").spelled())
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "a")))
    bytes[place] = 0xFF
    #expect(Transcript.Segment(spelled: bytes) == nil)
  }
}

@Suite struct `A number that is spelled` {
  private static let doubles = [
    0, -0.0, 1, -1, 0.1, 1.5, 1e15, 1e16, 1e17, 123_456_789.125, 1e-5, 1e300, .pi,
    .leastNonzeroMagnitude, .greatestFiniteMagnitude, .leastNormalMagnitude,
  ]

  @Test(arguments: doubles)
  func `is written as it is encoded, and read again`(number: Double) throws {
    var speller = JSONSpeller()
    let isNumber = speller.write(number)
    #expect(isNumber)
    #expect(try speller.bytes == Array(JSONEncoder().encode(number)))
    var scanner = JSONScanner(speller.bytes)
    let read = scanner.number()
    #expect(read == number)
    #expect(scanner.isAtEnd)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `is none where JSON has none`(number: Double) {
    var speller = JSONSpeller()
    let isNumber = speller.write(number)
    #expect(!isNumber)
  }

  @Test(arguments: [0, 1, -1, 1 << 53, .max, .min])
  func `is whole`(number: Int) throws {
    let bytes = try #require(number.spelled())
    #expect(try bytes == Array(JSONEncoder().encode(number)))
    #expect(Int(spelled: bytes) == number)
  }

  @Test(arguments: ["", "-", "01", "+1", "1.0", "1e3", "--1", "1-", "9223372036854775808"])
  func `is left to others where it is spelled in another way`(text: String) {
    #expect(Int(spelled: Array(text.utf8)) == nil)
  }

  @Test(arguments: ["", "-", ".5", "1.", "+1", "1.0", "01.5", "1E3", "1e400", "1..5", "e"])
  func `with a point is left to others, too`(text: String) {
    var scanner = JSONScanner(Array(text.utf8))
    let number = scanner.number()
    #expect(number == nil || !scanner.isAtEnd)
  }
}

@Suite struct `A new identity` {
  @Test func `is one that Foundation would make`() throws {
    let identities = (0..<1000).map { _ in newIdentity() }
    #expect(Set(identities).count == 1000)
    for identity in identities {
      #expect(UUID(uuidString: identity)?.uuidString == identity)
      let letters = Array(identity)
      #expect(letters[14] == "4")
      #expect("89AB".contains(letters[19]))
    }
  }
}
