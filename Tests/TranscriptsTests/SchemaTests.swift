import AgentKit
import Foundation
import Testing

@testable import Transcripts

@Suite struct `A schema in a prompt` {
  private func json(_ tool: some Tool) -> String {
    Transcript.ToolDefinition(tool: tool).parameters.jsonSchema.jsonString
  }

  @Test func `of a baton is the text that the model was trained on`() {
    #expect(
      json(PassBaton(to: "a", "b"))
        == #"{"type": "object", "properties": {"to": {"type": "string", "enum": ["a", "b"]}}, "#
        + #""required": ["to"]}"#
    )
  }

  @Test func `of a friend names its one parameter`() {
    let tool = PhoneAFriend(
      "title",
      name: "write_title",
      description: "Writes a title.",
      parameter: "topic",
      parameterDescription: "What it is about"
    )
    #expect(
      json(tool)
        == #"{"type": "object", "properties": {"topic": {"type": "string", "description": "#
        + #""What it is about"}}, "required": ["topic"]}"#
    )
  }

  @Test func `has type, description, bounds, properties and required in this order`() {
    #expect(
      json(Booking())
        == #"{"type": "object", "description": "A stay", "properties": {"#
        + #""room": {"type": "string", "description": "Which", "enum": ["sea", "hill"]}, "#
        + #""nights": {"type": "integer", "description": "How long", "minimum": 1, "maximum": 9}, "#
        + #""rate": {"type": "number", "minimum": 0.5}, "#
        + #""guests": {"type": "array", "items": {"type": "object", "properties": {"#
        + #""name": {"type": "string"}}, "required": ["name"]}, "minItems": 1, "maxItems": 4}, "#
        + #""notes": {"type": "array", "items": {"type": "string", "enum": ["late", "quiet"]}}, "#
        + #""mood": {"type": "string", "enum": ["calm", "festive"]}, "#
        + #""isPaid": {"type": "boolean"}, "#
        + #""code": {"type": "string", "pattern": "^([0-9]+)$"}, "#
        + #""extra": {}"#
        + #"}, "required": ["room", "nights", "guests", "mood", "isPaid", "extra"]}"#
    )
  }

  @Test func `of a tool without arguments is an empty object`() {
    #expect(json(Plain()) == #"{"type": "object", "properties": {}, "required": []}"#)
  }

  @Test func `is equal to one with the same text and name`() throws {
    let schema = Booking().parameters
    let copy = try JSONDecoder().decode(GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    #expect(GenerationSchema(name: "Other", shape: schema.shape) != schema)
  }
}

@Suite struct `A tool` {
  @Test func `has the name of its type and the schema of its arguments by default`() {
    let tool = Booking()
    #expect(tool.name == "Booking")
    #expect(tool.parameters == Booking.Stay.generationSchema)
    #expect(tool.includesSchemaInInstructions)
  }
}

private struct Booking: Tool {
  let description = "Books a room."

  func call(arguments: Stay) -> String { arguments.room }

  @Generable(description: "A stay")
  struct Stay {
    @Guide(description: "Which", .anyOf(["sea", "hill"])) var room: String
    @Guide(description: "How long", .range(1...9)) var nights: Int
    @Guide(.minimum(0.5)) var rate: Double?
    @Guide(.count(1...4)) var guests: [Guest]
    @Guide(.element(.anyOf(["late", "quiet"]))) var notes: [String]?
    var mood: Mood
    var isPaid: Bool
    @Guide(/[0-9]+/) var code: String?
    var extra: GeneratedContent
  }

  @Generable
  struct Guest {
    var name: String
  }

  @Generable
  enum Mood { case calm, festive }
}
