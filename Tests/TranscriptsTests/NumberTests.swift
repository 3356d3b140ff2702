import Foundation
import Testing

@testable import Transcripts

/// Numbers from text to a Swift type: exactly, or not at all.
@Suite struct `A number in content` {
  private func read<Value: ConvertibleFromGeneratedContent>(
    _ text: String,
    as type: Value.Type
  ) throws -> Value {
    try GeneratedContent(json: #"{"id": \#(text)}"#).value(type, forProperty: "id")
  }

  private func problem<Value: ConvertibleFromGeneratedContent>(
    of text: String,
    as type: Value.Type
  ) -> String? {
    let error = #expect(throws: GeneratedContent.ParsingError.self) { try read(text, as: type) }
    return error?.debugDescription
  }

  @Test(arguments: [
    ("9007199254740993", 9_007_199_254_740_993), ("-9007199254740993", -9_007_199_254_740_993),
    ("1234567890123456789", 1_234_567_890_123_456_789), ("9223372036854775807", .max),
    ("-9223372036854775808", .min), ("9223372036854775807.0", .max), ("1.0", 1), ("1e3", 1000),
    ("10.50e1", 105), ("1000e-3", 1), ("-0", 0), ("0.0", 0), ("0e999999999999999999999", 0),
  ])
  func `is the Int that equals it`(text: String, number: Int) throws {
    #expect(try read(text, as: Int.self) == number)
  }

  @Test(arguments: [
    ("0.1", "is not a whole number"), ("9007199254740993.5", "is not a whole number"),
    ("1e-400", "is not a whole number"), ("9223372036854775808", "does not fit in 64 bits"),
    ("-9223372036854775809", "does not fit in 64 bits"), ("1e400", "does not fit in 64 bits"),
    ("1e99999999999999999999", "does not fit in 64 bits"), ("\"7\"", "is not an Int"),
  ])
  func `is no Int where none equals it, and says which property`(text: String, words: String) {
    #expect(problem(of: text, as: Int.self) == "The property 'id' \(words).")
  }

  @Test func `is a UInt64 up to the last one`() throws {
    #expect(try read("18446744073709551615", as: UInt64.self) == .max)
    #expect(try read("9223372036854775808", as: UInt64.self) == 0x8000_0000_0000_0000)
    #expect(try read("-0", as: UInt64.self) == 0)
    for text in ["18446744073709551616", "-1"] {
      let words = "The property 'id' does not fit in 64 bits."
      #expect(problem(of: text, as: UInt64.self) == words)
    }
    let schema = UInt64.generationSchema
    #expect(schema.violation(by: GeneratedContent(UInt64.max)) == nil)
    #expect(schema.violation(by: GeneratedContent(-1)) == "The content is less than 0.")
  }

  @Test(arguments: [
    "12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678", "0.1",
    "123456789012345678.05", "1", "0", "9007199254740993",
  ])
  func `is the Decimal that equals it`(text: String) throws {
    let decimal = try read(text, as: Decimal.self)
    #expect(decimal == Decimal(string: text))
    #expect(decimal.generatedContent.jsonString == text)
  }

  @Test(arguments: [
    "123456789012345678901234567890123456789012", "1e400", "-1e400", "1e-400",
    "1e99999999999999999999", "0.1234567890123456789012345678901234567890123",
  ])
  func `is no Decimal where it has more digits`(text: String) {
    #expect(
      problem(of: text, as: Decimal.self)
        == "The property 'id' has more digits than a Decimal can hold."
    )
  }

  @Test(arguments: [
    ("0.1", 0.1), ("9007199254740992", 0x1p53), ("9007199254740994.0", 0x1p53 + 2), ("1e23", 1e23),
    ("18446744073709551616", 0x1p64), ("1.8446744073709552e19", 0x1p64),
    ("5e-324", .leastNonzeroMagnitude),
    ("3.14159265358979323846264338", .pi), ("123456789012345.123456", 123_456_789_012_345.123456),
    ("1.7976931348623157e308", .greatestFiniteMagnitude), ("0.00", 0),
  ])
  func `is the Double nearest to it`(text: String, number: Double) throws {
    #expect(try read(text, as: Double.self) == number)
    #expect(try read("-\(text)", as: Double.self) == -number)
  }

  @Test func `has a negative zero as a Double`() throws {
    #expect(try read("-0", as: Double.self).sign == .minus)
    #expect((-0.0).generatedContent.jsonString == "-0")
  }

  @Test(arguments: [
    ("9007199254740993", "has more digits than a Double can hold"),
    ("12345678901234567890", "has more digits than a Double can hold"),
    ("1e400", "is beyond the range of a Double"), ("-1e400", "is beyond the range of a Double"),
    ("1e-400", "is beyond the range of a Double"),
  ])
  func `is no Double where it would be another whole number`(text: String, words: String) {
    #expect(problem(of: text, as: Double.self) == "The property 'id' \(words).")
  }

  @Test func `is a Float by the same rule`() throws {
    #expect(try read("0.1", as: Float.self) == 0.1)
    #expect(try read("16777216", as: Float.self) == 16_777_216)
    #expect(throws: GeneratedContent.ParsingError.self) { try read("16777217", as: Float.self) }
    #expect(throws: GeneratedContent.ParsingError.self) { try read("1e39", as: Float.self) }
    #expect(Float(0.1).generatedContent.jsonString == "0.1")
    #expect(try Float(Float.infinity.generatedContent) == .infinity)
  }

  @Test(arguments: [
    "9007199254740993", "1.0", "1e3", "-0", "1E+5", "1e400", "0.10", "18446744073709551616",
    "123456789012345678901234567890123456789012",
  ])
  func `is written as it was read`(text: String) throws {
    let json = #"{"a": [\#(text)], "b": \#(text)}"#
    let content = try GeneratedContent(json: json)
    #expect(content.jsonString == json)
    #expect(content.identified(as: GenerationID()).jsonString == json)
    #expect(content == (try GeneratedContent(json: content.jsonString)))
  }

  @Test(arguments: [
    ("1.0", "1", true), ("-0", "0", true), ("1e2", "100.00", true), ("1e400", "10e399", true),
    ("9007199254740993", "9007199254740992", false), ("1e400", "1e401", false), ("1", "-1", false),
    ("0.1", "0.10000000000000001", false), ("1e400", "-1e400", false),
  ])
  func `equals another of the same value`(one: String, other: String, areEqual: Bool) throws {
    let (one, other) = try (GeneratedContent(json: one), GeneratedContent(json: other))
    #expect((one == other) == areEqual)
    let lists = [one, other].map { GeneratedContent(kind: .array([$0])) }
    #expect((lists[0] == lists[1]) == areEqual)
  }

  @Test func `has an order of its value`() {
    let ordered = [
      "-1e400", "-10", "-9.99", "-1e-400", "0", "1e-400", "0.01", "0.1", "9007199254740992",
      "9007199254740993", "9007199254740993.1", "1e400",
    ].map { JSONNumber(written: $0) }
    for (index, number) in ordered.enumerated() {
      for (place, other) in ordered.enumerated() {
        #expect((number < other) == (index < place), "\(number.text) \(other.text)")
      }
    }
  }

  @Test func `keeps its digits in the kind's double as far as that has them`() throws {
    let content = try GeneratedContent(json: "9007199254740993")
    #expect(content.kind == .number(9_007_199_254_740_992))
    #expect(try GeneratedContent(json: "-1e400").kind == .number(-.infinity))
  }

  @Test func `has the name of the property that it is in, and its place in a list`() throws {
    let content = try GeneratedContent(json: #"{"owner": {"ids": [1, 2.5]}}"#)
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(GeneratedContent.self, forProperty: "owner")
        .value([Int].self, forProperty: "ids")
    }
    let words = "The property 'ids', element 2, is not a whole number."
    #expect(error?.debugDescription == words)
  }

  @Test func `is not shown before its last digit`() throws {
    let text = #"{"ids": [9007199254740993, 1234567890123456789"#
    let content = try GeneratedContent(json: text)
    #expect(
      try content.growingValue([Int].self, forProperty: "ids") == [9_007_199_254_740_993]
    )
    let whole = try GeneratedContent(json: text + "]")
    #expect(
      try whole.growingValue([Int].self, forProperty: "ids")
        == [9_007_199_254_740_993, 1_234_567_890_123_456_789]
    )
    let number = try GeneratedContent(json: "[9007199254740993").marked(isComplete: true)
    #expect(number.jsonString == "[9007199254740993]")
  }
}

/// Bounds that a `Double` cannot hold.
@Suite struct `A bound on a number` {
  private func schema<Value: Generable>(
    _ type: Value.Type,
    _ guides: GenerationGuide<Value>...
  ) throws -> GenerationSchema {
    try GenerationSchema(root: .init(type: type, guides: guides), dependencies: [])
  }

  @Test func `is exact where it is checked and where it is written`() throws {
    let schema = try schema(Int.self, .range(9_007_199_254_740_993...Int.max))
    let problem = schema.violation(by: GeneratedContent(9_007_199_254_740_992))
    #expect(problem == "The content is less than 9007199254740993.")
    #expect(schema.violation(by: GeneratedContent(9_007_199_254_740_993)) == nil)
    #expect(
      schema.jsonSchema.jsonString
        == #"{"type": "integer", "minimum": 9007199254740993, "maximum": 9223372036854775807}"#
    )
    let bounds = try #require(schema.grammarSchema(keepsOrder: true)).jsonString
    #expect(bounds.contains("<integer 9007199254740993 9223372036854775807>"))
  }

  @Test func `has all digits of a Decimal`() throws {
    let text = "1234567890123456789012345678.0123456789"
    let schema = try schema(Decimal.self, .maximum(#require(Decimal(string: text))))
    #expect(schema.jsonSchema.jsonString == #"{"type": "number", "maximum": \#(text)}"#)
    #expect(schema.violation(by: try GeneratedContent(json: text)) == nil)
    #expect(schema.violation(by: try GeneratedContent(json: text + "1")) != nil)
  }

  @Test func `is none where it is infinite`() throws {
    let schema = try schema(Double.self, .range(0...Double.infinity))
    #expect(schema.jsonSchema.jsonString == #"{"type": "number", "minimum": 0}"#)
  }

  @Test func `travels with its schema`() throws {
    let schemas = [
      try schema(Int.self, .range(-9_007_199_254_740_993...Int.max)), UInt64.generationSchema,
      try schema(Decimal.self, .minimum(#require(Decimal(string: "0.1234567890123456789012")))),
    ]
    for schema in schemas {
      let read = try JSONDecoder().decode(
        GenerationSchema.self,
        from: JSONEncoder().encode(schema)
      )
      #expect(read.jsonSchema == schema.jsonSchema)
      #expect(read.jsonSchema.jsonString == schema.jsonSchema.jsonString)
    }
  }

  @Test func `of an integer is a whole number`() throws {
    let json = #"{"type": "integer", "minimum": 0.5}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GenerationSchema.self, from: Data(json.utf8))
    }
  }
}
