import AgentKit
import Foundation
import Testing
import Transcripts

@Suite struct `Generated content` {
  @Generable enum Direction { case go, gone }

  @Test func `that breaks off is read only where more of it makes it longer, and nothing else`()
    throws
  {
    let content = try GeneratedContent(
      json: #"{"word": "go", "numbers": [12, 3"#
    )
    #expect(try content.growingValue([Int].self, forProperty: "numbers") == [12])
    let word = try GeneratedContent(json: #"{"word": "go"#)
    #expect(try word.growingValue(String.self, forProperty: "word") == "go")
    #expect(try word.growingValue(Direction.self, forProperty: "word") == nil)
    #expect(try content.growingValue(Direction.self, forProperty: "word") == .go)
    let number = try GeneratedContent(json: #"{"number": 12"#)
    #expect(try number.growingValue(Int.self, forProperty: "number") == nil)
  }

  @Test(arguments: [
    (1_732_500_000_000_000_000, "1732500000000000000"), (-0x1p63, "-9223372036854775808"),
    (0x1p63, "9.223372036854776e+18"), (1e300, "1e+300"), (.nan, "null"), (0.5, "0.5"),
  ])
  func `writes whole numbers in digits`(number: Double, text: String) {
    #expect(number.generatedContent.jsonString == text)
  }

  @Test(arguments: [#"{"a": [100, {"b": -0.5}]}"#, #"{"a":[1e2,{"b":-5E-1}]}"#])
  func `has one canonical form of JSON`(json: String) throws {
    let expected = try GeneratedContent(json: #"{"a": [1.0e+2, {"b": -0.50}]}"#).canonicalJSON
    #expect(try GeneratedContent(json: json).canonicalJSON == expected)
    let other = try GeneratedContent(json: #"{"a": [101, {"b": -0.5}]}"#)
    #expect(other.canonicalJSON != expected)
  }

  @Test func `bounds decimals`() throws {
    #expect(
      Price.generationSchema.debugDescription
        == #"{"type": "object", "properties": {"amount": {"type": "number", "minimum": 0.5, "#
        + #""maximum": 10}}, "required": ["amount"]}"#
    )
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Price(GeneratedContent(json: #"{"amount": "much"}"#))
    }
  }

  @Test func `of a half-made value leaves out what cannot be read yet`() throws {
    func read(_ json: String) throws -> Menu.PartiallyGenerated {
      try Menu.PartiallyGenerated(GeneratedContent(json: json))
    }
    #expect(try read(#"{"kinds": ["so"#).kinds == [])
    #expect(try read(#"{"kinds": ["soup", "dri"#).kinds == [.soup])
    #expect(try read(#"{"first": "so"#).first == nil)
    #expect(try read(#"{"first": "soup""#).first == .soup)
    // Content that is complete and wrong stays wrong.
    #expect(throws: GeneratedContent.ParsingError.self) { try read(#"{"first": "tea", "kinds"#) }
    #expect(throws: GeneratedContent.ParsingError.self) { try read(#"{"kinds": ["tea"], "#) }
  }

  @Test func `of half-made values is compared`() throws {
    let content = try GeneratedContent(json: #"{"first": "soup", "course": {"type": "name", "#)
    let one = try Menu.PartiallyGenerated(content)
    #expect(one.first == .soup)
    #expect(one == one)
    var other = one
    other.first = .drink
    #expect(one != other)
    other = one
    other.course = .count(2)
    #expect(one != other)
  }
}

@Generable
private struct Price {
  @Guide(.range(0.5...10)) var amount: Decimal
}

@Generable
private struct Menu {
  var kinds: [Kind]
  var first: Kind?
  var course: Course?

  @Generable
  enum Kind { case soup, drink }

  @Generable
  enum Course {
    case name(String)
    case count(Int)
  }
}
