import AgentKit
import Foundation
import Testing
import Wire

/// Handwritten JSON equals what Foundation's coders write and read.
@Suite(.timeLimit(.minutes(5))) struct `A message that is spelled` {
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  private static let figures = [
    RequestFigures(), Samples.figures, RequestFigures(contextSize: 4096),
  ]

  private static let segment = Transcript.Segment.text(
    .init(id: "s", content: "A \"crane\"\n\u{1}")
  )
  private static let entries: [Transcript.Entry] = [
    .response(.init(id: "e", segments: [segment])),
    .reasoning(.init(id: "e", segments: [segment, segment])),
    .toolOutput(.init(id: "c", toolName: "look", segments: [segment])),
    .toolCalls(
      .init(
        id: "e",
        [
          .init(
            id: "c",
            toolName: "look",
            arguments: GeneratedContent(properties: ["at": "a \u{1}", "how": 1.5])
          )
        ]
      )
    ),
  ]

  private static let said: [FromWorker] =
    [
      .takesAdmission(turn: 3),
      .text(turn: 1, TextChange(entryID: "e", isReasoning: true, keptBytes: 3, added: "a\u{1}")),
      .text(turn: 1, TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: "")),
    ]
    + entries.map { .entry(turn: 7, $0, figures: nil) }
    + entries.map { .unawaitedEntry(turn: -7, $0, figures: nil) }
    + figures.map { .entry(turn: 7, entries[0], figures: $0) }
    + figures.map { .unawaitedEntry(turn: 7, entries[0], figures: $0) }

  private static let heard: [ToWorker] = [
    .recorded(turn: 1, entryID: "e", admittedCalls: 3),
    .recorded(turn: 1, entryID: "e/\"", admittedCalls: 3, repeatedCalls: [0, 2]),
    .recorded(turn: 1, entryID: "e", admittedCalls: 3, next: .admitted(.go(maximumTokens: 9))),
    .recorded(turn: 1, entryID: "e", admittedCalls: 3, next: .admitted(.go(maximumTokens: nil))),
  ]

  @Test(arguments: said)
  func `by a worker is what is encoded`(message: FromWorker) throws {
    try expectSpelled(message)
  }

  @Test(arguments: heard)
  func `to a worker is what is encoded`(message: ToWorker) throws {
    try expectSpelled(message)
  }

  private func expectSpelled<Message: WireMessage & Equatable>(_ message: Message) throws {
    let bytes = try #require(message.spelled())
    #expect(try bytes == Array(Self.encoder.encode(message)))
    #expect(Message(spelled: bytes) == message)
    #expect(try JSONDecoder().decode(Message.self, from: Data(bytes)) == message)
  }

  @Test func `is encoded as it is spelled, whatever it is`() throws {
    for message in Samples.fromWorker {
      let spelled = message.spelled()
      #expect(try spelled == nil || spelled == Array(Self.encoder.encode(message)))
    }
    for message in Samples.toWorker {
      let spelled = message.spelled()
      #expect(try spelled == nil || spelled == Array(Self.encoder.encode(message)))
    }
  }

  @Test func `says nothing of the figures of a cache that broke`() {
    var figures = RequestFigures()
    figures.cacheBreak = CacheBreak(token: 1, lost: 2, cause: "c", was: "w", now: "n")
    #expect(FromWorker.entry(turn: 1, Self.entries[0], figures: figures).spelled() == nil)
  }

  /// Every field must be spelled or listed here, or it would never cross a pipe.
  ///
  /// A listed field must keep the values that have it from being spelled.
  @Test func `has no field that nobody spells`() {
    func fields(_ value: Any) -> [String?] { Mirror(reflecting: value).children.map(\.label) }
    #expect(
      fields(RequestFigures()) == [
        "tokensIn", "tokensCached", "tokensOut", "secondsToFirstToken", "seconds", "contextSize",
        "cacheBreak",
      ]
    )
    let change = TextChange(entryID: "", isReasoning: false, keptBytes: 0, added: "")
    #expect(fields(change) == ["entryID", "isReasoning", "keptBytes", "added"])
  }

  @Test func `by a worker and damaged is read as it is decoded, or not at all`() throws {
    try expectReadAsDecoded(Self.said)
  }

  @Test func `to a worker and damaged is read as it is decoded, or not at all`() throws {
    try expectReadAsDecoded(Self.heard)
  }

  private func expectReadAsDecoded<Message: WireMessage & Equatable>(
    _ messages: [Message]
  ) throws {
    var random = Seeded(20_261_123)
    var (read, left) = (0, 0)
    for index in 0..<20_000 {
      var bytes = try #require(messages[index % messages.count].spelled())
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0x20..<0x7F, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard let message = Message(spelled: bytes) else {
        left += 1
        continue
      }
      read += 1
      let decoded = try? JSONDecoder().decode(Message.self, from: Data(bytes))
      #expect(decoded == message, "\(String(decoding: bytes, as: UTF8.self))")
    }
    // Both outcomes occurred: a letter in a text may change, but a brace may not.
    #expect(read > 100)
    #expect(left > 1000)
  }
}
