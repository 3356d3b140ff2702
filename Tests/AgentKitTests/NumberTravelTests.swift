import Foundation
import Testing

@testable import AgentKit
@testable import Transcripts

/// Random numbers on every way that content can take.
@Suite struct `The digits of a number` {
  private static let samples: [String] = {
    var generator = FixedGenerator(state: 11)
    /// Returns a number with up to the given number of digits.
    func number(_ digits: Int, isWhole: Bool) -> String {
      let count = Int.random(in: 1...digits, using: &generator)
      var text = (0..<count).map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
      while text.count > 1, text.first == "0" { text.removeFirst() }
      if !isWhole, text.count > 1 {
        let place = Int.random(in: 1..<text.count, using: &generator)
        text.insert(".", at: text.index(text.startIndex, offsetBy: place))
      }
      return (Bool.random(using: &generator) ? "-" : "") + text
    }
    var samples: [String] = []
    for _ in 0..<60 {
      samples.append(number(19, isWhole: true))
      samples.append(number(38, isWhole: false))
      samples.append("\(UInt64.random(in: .min ... .max, using: &generator))")
      let double = Double(bitPattern: .random(in: .min ... .max, using: &generator))
      if double.isFinite { samples.append("\(double)") }
    }
    return samples
  }()

  private static var content: GeneratedContent {
    get throws {
      try GeneratedContent(
        json: #"{"list": [\#(samples.joined(separator: ", "))], "one": {"a": 1.50, "z": -0}}"#
      )
    }
  }

  @Test func `survive in text`() throws {
    let content = try Self.content
    guard case .array(let elements)? = content["list"]?.kind else {
      Issue.record("An array is an array.")
      return
    }
    #expect(elements.map(\.jsonString) == Self.samples)
  }

  @Test func `survive in an entry, in both of its spellings`() throws {
    let call = Transcript.ToolCall(id: "c", toolName: "look", arguments: try Self.content)
    let entry = Transcript.Entry.toolCalls(.init(id: "e", [call]))
    let answer = Transcript.Entry.response(
      .init(
        id: "r",
        metadata: ["cost": try Self.content],
        segments: [.structure(.init(schemaName: "Any", content: try Self.content))]
      )
    )
    let encoder = JSONEncoder()
    for entry in [entry, answer] {
      let short = try RawEntry(json: RawEntry(entry).json).entry
      let long = try JSONDecoder().decode(Transcript.Entry.self, from: encoder.encode(entry))
      #expect(short == entry)
      #expect(long == entry)
    }
    guard case .toolCalls(let calls) = try RawEntry(json: RawEntry(entry).json).entry else {
      Issue.record("Calls are calls.")
      return
    }
    #expect(calls.first?.arguments.jsonString == (try Self.content.jsonString))
  }

  @Test func `survive as content of its own`() throws {
    let coded = CodableContent(try Self.content)
    let read = try JSONDecoder().decode(CodableContent.self, from: JSONEncoder().encode(coded))
    #expect(read.content == coded.content)
  }

  @Test func `are text where no type that can be encoded has as many`() throws {
    for number in ["1e400", "123456789012345678901234567890123456789012.5"] {
      let coded = CodableContent(try GeneratedContent(json: "[\(number)]"))
      let json = String(decoding: try JSONEncoder().encode(coded), as: UTF8.self)
      #expect(json == #"["\#(number)"]"#)
    }
  }

  @Test func `survive in a session property`() throws {
    let giver = LanguageModelSession(model: ScriptedLanguageModel()).properties
    let account = Account(
      id: 9_007_199_254_740_993,
      mask: .max,
      total: try #require(Decimal(string: "1234567890123456789012345.67")),
      rest: -0.0,
      any: try Self.content
    )
    giver[AccountKey.self] = account
    giver[LedgerKey.self] = Ledger(id: account.id, mask: account.mask, total: account.total)
    let receiver = LanguageModelSession(model: ScriptedLanguageModel()).properties
    receiver.receive(giver.exported())
    let read = receiver[AccountKey.self]
    #expect(read.id == account.id && read.mask == account.mask && read.total == account.total)
    #expect(read.rest.sign == .minus)
    #expect(read.any == account.any)
    #expect(receiver[LedgerKey.self] == giver[LedgerKey.self])
  }

  @Test func `survive in the messages for a server or a template`() throws {
    let call = Transcript.ToolCall(id: "c", toolName: "look", arguments: try Self.content)
    let messages = ChatMessages([Transcript.Entry.toolCalls(.init([call]))])
    let json = messages.content.jsonString
    #expect(json.contains(Self.samples.joined(separator: ", ")))
  }

  @Test func `survive in an answer that follows a schema`() async throws {
    let json =
      #"{"id": 9007199254740993, "mask": 18446744073709551615, "total": 0.1, "rest": -0, "#
      + #""any": [1e400]}"#
    let model = ScriptedLanguageModel(.text(json))
    let session = LanguageModelSession(model: model)
    let answer = try await session.respond(to: "Go", generating: Account.self)
    #expect(answer.content.id == 9_007_199_254_740_993)
    #expect(answer.content.mask == .max)
    #expect(answer.content.any.jsonString == "[1e400]")
    #expect(answer.rawContent.jsonString == json)
  }

  @Test func `survive in a streamed answer`() async throws {
    let json = #"{"id": 9007199254740993, "mask": 1, "total": 0.1, "rest": 0, "any": 1e400}"#
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text(json)))
    var ids: Set<Int> = []
    for try await snapshot in session.streamResponse(to: "Go", generating: Account.self) {
      if let id = snapshot.content.id { ids.insert(id) }
    }
    #expect(ids == [9_007_199_254_740_993])
    let number = LanguageModelSession(model: ScriptedLanguageModel(.text("9007199254740993")))
    let answer = try await number.streamResponse(to: "Go", generating: Int.self).collect()
    #expect(answer.content == 9_007_199_254_740_993)
  }

  @Test(arguments: [
    ("9007199254740993", "deleted 9007199254740993"),
    ("1234567890123456789", "deleted 1234567890123456789"), ("1.0", "deleted 1"),
    (
      "0.1", "The arguments of 'delete' do not fit: The property 'id' is not a whole number."
    ),
    ("1e400", "The arguments of 'delete' do not fit: The property 'id' does not fit in 64 bits."),
  ])
  func `reach a tool, or the model reads what is wrong`(id: String, output: String) async throws {
    let model = ScriptedLanguageModel(.call("delete", #"{"id": \#(id)}"#), .text("Done."))
    let session = LanguageModelSession(model: model, tools: [Deleting()])
    try await session.respond(to: "Go")
    #expect(session.transcript.outline.contains("output: \(output)"))
    #expect(session.transcript.outline.contains(#"calls: delete{"id": \#(id)}"#))
  }
}

@Generable
private struct Account {
  var id: Int
  var mask: UInt64
  var total: Decimal
  var rest: Double
  var any: GeneratedContent
}

private struct Ledger: Codable, Equatable {
  var id: Int
  var mask: UInt64
  var total: Decimal
}

private enum AccountKey: SessionPropertyKey {
  static var defaultValue: Account {
    Account(id: 0, mask: 0, total: 0, rest: 0, any: GeneratedContent(0))
  }
}

private enum LedgerKey: SessionPropertyKey {
  static var defaultValue: Ledger { Ledger(id: 0, mask: 0, total: 0) }
}

private struct Deleting: AgentKit.Tool {
  let name = "delete"
  let description = "Deletes the record with this id."

  @Generable
  struct Arguments {
    var id: Int
  }

  func call(arguments: Arguments) async throws -> String { "deleted \(arguments.id)" }
}

/// Random numbers that are the same every time.
private struct FixedGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
