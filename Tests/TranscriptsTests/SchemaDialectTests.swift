import AgentKit
import Foundation
import Testing
import Transcripts

/// The encoded form of schemas: FoundationModels' own dialect.
@Suite struct `A schema on disk`: SchemaDialect {
  @Test func `of an object has a title, and the order of its properties`() throws {
    #expect(
      try json(Person.generationSchema)
        == #"{"additionalProperties":false,"properties":{"age":{"type":"integer"},"#
        + #""name":{"type":"string"}},"required":["name"],"title":"Person","type":"object","#
        + #""x-order":["name","age"]}"#
    )
  }

  @Test func `names what is nested, and the whole where it contains itself`() throws {
    #expect(
      try json(Club.generationSchema)
        == ##"{"$defs":{"Member":{"additionalProperties":false,"properties":{"name":"##
        + ##"{"type":"string"}},"required":["name"],"title":"Member","type":"object","##
        + ##""x-order":["name"]}},"additionalProperties":false,"properties":{"##
        + ##""head":{"$ref":"#/$defs/Member","description":"Who leads"},"##
        + ##""kind":{"enum":["open","closed"],"type":"string"},"##
        + ##""members":{"items":{"$ref":"#/$defs/Member"},"maxItems":9,"type":"array"},"##
        + ##""parent":{"items":{"$ref":"#"},"type":"array"}},"required":["head","members","kind"],"title":"Club","##
        + ##""type":"object","x-order":["head","members","kind","parent"]}"##
    )
  }

  @Test func `survives the way there and back with every guide`() throws {
    for schema in [
      Person.generationSchema, Club.generationSchema, Bounds.generationSchema,
      Club.Kind.generationSchema, Event.generationSchema, [Person].generationSchema,
      String.generationSchema, Int.generationSchema, Bool.generationSchema,
      Double.generationSchema, GeneratedContent.generationSchema, Form.generationSchema,
    ] {
      let copy = try read(json(schema))
      #expect(copy == schema, "\(schema) \(copy)")
      #expect(copy.name == schema.name)
    }
  }

  @Test func `made at run time survives too`() throws {
    let node = DynamicGenerationSchema(
      name: "Node",
      properties: [
        .init(name: "next", schema: .init(referenceTo: "Node"), isOptional: true),
        .init(name: "tag", schema: .init(referenceTo: "Tag")),
      ]
    )
    let tag = DynamicGenerationSchema(
      name: "Tag",
      properties: [.init(name: "text", schema: .init(type: String.self))]
    )
    let schema = try GenerationSchema(root: node, dependencies: [tag])
    #expect(try read(json(schema)) == schema)
  }

  @Test(arguments: [
    #"{"type":"future"}"#, #"{"type":["string","null"]}"#, #"{"type":"array"}"#, #"{"allOf":[]}"#,
    #"{"anyOf":[],"title":"A"}"#, #"{"anyOf":[{"type":"string"}]}"#, #"[]"#, #""string""#,
    #"{"type":"object","title":"A","properties":{},"required":[],"x-order":[]}"#,
    #"{"type":"object","properties":{},"required":[],"additionalProperties":false,"x-order":[]}"#,
    #"{"type":"object","title":"A","properties":{},"additionalProperties":false,"x-order":[]}"#,
    #"{"type":"object","title":"A","properties":{},"required":[],"additionalProperties":false}"#,
    ##"{"type":"array","items":{"$ref":"#/$defs/A"}}"##,
    #"{"type":"object","title":"A","properties":{},"required":[],"additionalProperties":false,"#
      + #""x-order":["x"]}"#,
    #"{"type":"integer","minimum":"1"}"#,
    #"{"type":"array","items":{"type":"string"},"minItems":0.5}"#,
  ])
  func `that is no schema of the dialect is refused`(json: String) {
    #expect(throws: DecodingError.self) { try read(json) }
  }

  @Test func `may have keywords that are ignored`() throws {
    #expect(
      try json(read(#"{"type":"string","minLength":1,"format":"date"}"#)) == #"{"type":"string"}"#
    )
    #expect(
      try read(#"{"type":"integer","multipleOf":2,"minimum":1}"#).debugDescription
        == #"{"type": "integer", "minimum": 1}"#
    )
  }

  @Test func `has the name of what it describes`() throws {
    #expect(try read(#"{"type":"array","items":{"type":"string"}}"#).name == "Array<String>")
    #expect(try read(#"{"enum":["x"],"title":"Choice","type":"string"}"#).name == "Choice")
    #expect(try read(#"{"const":"x"}"#).name == "x")
    #expect(try read(#"{"type":"number"}"#).name == "Double")
    #expect(try read(#"{"type":"null"}"#).name == "Null")
  }
}

@Generable
private struct Club {
  @Guide(description: "Who leads") var head: Member
  @Guide(.maximumCount(9)) var members: [Member]
  var kind: Kind
  var parent: [Club]?

  @Generable
  struct Member {
    var name: String
  }

  @Generable
  enum Kind { case open, closed }
}

@Generable
private struct Bounds {
  @Guide(description: "One of two", .anyOf(["a", "b"])) var choice: String
  @Guide(.constant("x")) var constant: String
  @Guide(/[a-z]{2,3}\d?/) var pattern: String?
  @Guide(.range(-1...9)) var whole: Int
  @Guide(.minimum(0.5), .maximum(2)) var real: Double
  @Guide(.maximumCount(3), .minimumCount(1)) var list: [Int]
  @Guide(.element(.anyOf(["x", "y"])), .count(2)) var words: [String]
  var flag: Bool
  var extra: GeneratedContent
}

@Generable(description: "Something that happens")
private enum Event {
  case begins
  case moves(by: Int)
  case repeats([Event])
}

@Generable(description: "A form", representNilExplicitlyInGeneratedContent: true)
private struct Form {
  @Guide(description: "What is said") var note: String?
}
