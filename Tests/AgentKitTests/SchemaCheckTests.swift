import Testing

@testable import AgentKit
@testable import Transcripts

@Suite(.timeLimit(.minutes(5)))
struct `Content that does not follow its schema` {
  private let good = #"""
    {"word": "ab", "count": 3, "share": 0.5, "list": [1, 2], "kind": "plain", "thing": {"type": "name",
    "value": "x"}}
    """#

  @Test(arguments: [
    (
      #""word": "ab""#, #""word": "abc""#,
      "The property 'word' does not match the pattern [a-z]{2}."
    ),
    (#""count": 3"#, #""count": 0"#, "The property 'count' is less than 1."),
    (#""count": 3"#, #""count": 2.5"#, "The property 'count' is not a whole number."),
    (#""count": 3"#, #""count": 1e19"#, "The property 'count' does not fit in 64 bits."),
    (#""share": 0.5"#, #""share": 1.5"#, "The property 'share' is more than 1."),
    (#""share": 0.5"#, #""share": "half""#, "The property 'share' is not of the type 'number'."),
    (#""list": [1, 2]"#, #""list": []"#, "The property 'list' has fewer than 1 elements."),
    (#""list": [1, 2]"#, #""list": [1, 2, 3]"#, "The property 'list' has more than 2 elements."),
    (
      #""list": [1, 2]"#, #""list": [1, -2]"#,
      "The property 'list', element 2, is less than 0."
    ),
    (#""kind": "plain""#, #""kind": "odd""#, "The property 'kind' is not one of: plain, fine."),
    (#""kind": "plain", "#, "", "The property 'kind' is missing."),
    (
      #""value": "x""#, #""value": 1"#,
      "The property 'thing' does not match any of the allowed forms."
    ),
  ])
  func `is told from content that does`(part: String, change: String, problem: String) throws {
    let schema = Sample.generationSchema
    #expect(try schema.violation(by: GeneratedContent(json: good)) == nil)
    let content = try GeneratedContent(json: good.replacing(part, with: change))
    #expect(schema.violation(by: content) == problem)
  }

  @Test(arguments: [
    (#"\S+"#, "a\u{A0}b", false), (#"\D+"#, "１２", true), (#"\d+"#, "１２", false),
    (#"\w+"#, "é", true), ("[ก-๙]+", "กำลังใจ", true), ("[a-z]{2}", "ab", true),
    ("[a-z]{2}", "a\u{301}b", false),
  ])
  func `is told by a pattern as the grammar means it that a local model is held to`(
    pattern: String,
    text: String,
    fits: Bool
  ) throws {
    let word = DynamicGenerationSchema(type: String.self, guides: [.pattern(try Regex(pattern))])
    let schema = try GenerationSchema(root: word, dependencies: [])
    #expect((schema.violation(by: GeneratedContent(text)) == nil) == fits)
  }

  @Test func `may leave out what is optional, or say null for it`() throws {
    let with = try GeneratedContent(json: good.replacing("}}", with: #"}, "note": null}"#))
    #expect(Sample.generationSchema.violation(by: with) == nil)
    let wrong = try GeneratedContent(json: good.replacing("}}", with: #"}, "note": 1}"#))
    #expect(Sample.generationSchema.violation(by: wrong) != nil)
  }

  @Test(arguments: [
    "0", "-3", "2.5", "9223372036854775807", "9223372036854775808", "9223372036854775809", "1e19",
    "-9223372036854775808", "-9223372036854779000", "-1e19", "1e300",
  ])
  func `is, for whole numbers, just what cannot be read as one`(text: String) throws {
    let content = try GeneratedContent(json: text)
    let isRead = (try? Int(content)) != nil
    #expect((Int.generationSchema.violation(by: content) == nil) == isRead)
  }

  @Test func `is a ParsingError as an answer`() async throws {
    let model = ScriptedLanguageModel(.text(good.replacing("0.5", with: "7")))
    let session = LanguageModelSession(model: model)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Go", generating: Sample.self)
    }
    #expect(error?.debugDescription == "The property 'share' is more than 1.")
  }

  @Test func `is told to the model as arguments, and the turn goes on`() async throws {
    let model = ScriptedLanguageModel(.call("count", #"{"to": 12}"#), .text("Sorry."))
    let session = LanguageModelSession(model: model, tools: [Counting()])
    #expect(try await session.respond(to: "Go").content == "Sorry.")
    #expect(
      session.transcript.outline.contains(
        "output: The arguments of 'count' do not fit: The property 'to' is more than 9."
      )
    )
  }

  @Test(arguments: ["0.1", "0.7"])
  func `the ends of a range in single precision are in it`(share: String) async throws {
    let model = ScriptedLanguageModel(.text(#"{"share": \#(share)}"#))
    let session = LanguageModelSession(model: model)
    let portion = try await session.respond(to: "Go", generating: Portion.self).content
    #expect(portion.share == Float(share))
    #expect(portion.generatedContent.jsonString == #"{"share": \#(share)}"#)
  }
}

/// A type with common bounds that single precision cannot represent.
@Generable
private struct Portion {
  @Guide(.range(0.1...0.7)) var share: Float
}

@Generable
private struct Sample {
  @Guide(/[a-z]{2}/) var word: String
  @Guide(.range(1...9)) var count: Int
  @Guide(.range(0...1)) var share: Double
  @Guide(.count(1...2), .element(.minimum(0))) var list: [Int]
  var kind: Kind
  var thing: Thing
  var note: String?

  @Generable
  enum Kind { case plain, fine }

  @Generable
  enum Thing {
    case name(String)
    case count(Int)
  }
}
