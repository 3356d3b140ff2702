import AgentKit
import Foundation
import Testing

@testable import Transcripts

@Suite struct `Guides that a type brings along` {
  private func json(_ schema: GenerationSchema) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(schema), as: UTF8.self)
  }

  private func copy(_ schema: GenerationSchema) throws -> GenerationSchema {
    try JSONDecoder().decode(GenerationSchema.self, from: JSONEncoder().encode(schema))
  }

  @Test func `hold wherever it is used`() throws {
    let schema = Address.generationSchema
    #expect(
      schema.debugDescription
        == #"{"type": "object", "properties": {"zip": {"type": "string", "#
        + #""pattern": "^([0-9]{5})$"}, "others": {"type": "array", "items": {"#
        + #""type": "string", "pattern": "^([0-9]{5})$"}}}, "required": ["zip"]}"#
    )
    let wrong = try GeneratedContent(json: #"{"zip": "1234", "others": []}"#)
    #expect(
      schema.violation(by: wrong) == "The property 'zip' does not match the pattern [0-9]{5}."
    )
    #expect(try copy(schema) == schema)
    #expect(try json(schema).contains(#""zip":{"pattern":"[0-9]{5}","type":"string"}"#))
  }

  @Test func `hold for the elements of a list, also in a grammar`() throws {
    let schema = Split.generationSchema
    #expect(
      schema.debugDescription
        == #"{"type": "object", "properties": {"shares": {"type": "array", "items": {"#
        + #""type": "number", "minimum": 0, "maximum": 0.5}, "maxItems": 2}}, "#
        + #""required": ["shares"]}"#
    )
    let grammar = schema.grammarSchema(keepsOrder: true)?.jsonString
    #expect(grammar?.contains(#"{"const": ["<number 0 0.5>"]}"#) == true)
    let wrong = try GeneratedContent(json: #"{"shares": [0.5, 0.75]}"#)
    #expect(
      schema.violation(by: wrong) == "The property 'shares', element 2, is more than 0.5."
    )
  }

  @Test func `hold for a list with definitions of its own`() throws {
    let schema = Trip.generationSchema
    #expect(
      schema.debugDescription
        == #"{"type": "object", "properties": {"route": {"type": "array", "items": {"#
        + #""type": "object", "properties": {"zip": {"type": "string", "#
        + #""pattern": "^([0-9]{5})$"}}, "required": ["zip"]}, "minItems": 2}}, "#
        + #""required": ["route"]}"#
    )
    #expect(
      try json(schema)
        == ##"{"$defs":{"Stop":{"additionalProperties":false,"properties":{"zip":"##
        + ##"{"pattern":"[0-9]{5}","type":"string"}},"required":["zip"],"title":"Stop","##
        + ##""type":"object","x-order":["zip"]}},"additionalProperties":false,"properties":"##
        + ##"{"route":{"items":{"$ref":"#/$defs/Stop"},"minItems":2,"type":"array"}},"##
        + ##""required":["route"],"title":"Trip","type":"object","x-order":["route"]}"##
    )
    #expect(try copy(schema) == schema)
    let short = try GeneratedContent(json: #"{"route": [{"zip": "12345"}]}"#)
    #expect(schema.violation(by: short) == "The property 'route' has fewer than 2 elements.")
    let wrong = try GeneratedContent(json: #"{"route": [{"zip": "1"}, {"zip": "12345"}]}"#)
    #expect(
      schema.violation(by: wrong)
        == "The property 'route', element 1, property 'zip', does not match the pattern [0-9]{5}."
    )
  }

  @Test func `are not those of another type whose definitions have the same names`() throws {
    let schema = Journey.generationSchema
    let text = schema.debugDescription
    #expect(text.contains(#"{"zip": {"type": "string""#))
    #expect(text.contains(#"{"gate": {"type": "integer", "minimum": 1}"#))
    #expect(try copy(schema) == schema)
    let content = try GeneratedContent(
      json: #"{"drive": [{"zip": "12345"}, {"zip": "54321"}], "flight": {"next": {"gate": 0}}}"#
    )
    #expect(schema.violation(by: content) == "The property 'flight.next.gate' is less than 1.")
  }
}

/// A handwritten type, whose author wants one guide for all of its uses.
private protocol Handmade: Generable {
  static var form: DynamicGenerationSchema { get }
  var content: GeneratedContent { get }
}

extension Handmade {
  static var generationSchema: GenerationSchema {
    do {
      return try GenerationSchema(root: form, dependencies: [])
    } catch {
      preconditionFailure("\(error)")
    }
  }

  var generatedContent: GeneratedContent { content }
}

private struct Zip: Handmade {
  let content: GeneratedContent

  init(_ content: GeneratedContent) throws { self.content = content }

  static var form: DynamicGenerationSchema {
    DynamicGenerationSchema(type: String.self, guides: [.pattern(/[0-9]{5}/)])
  }
}

private struct Share: Handmade {
  let content: GeneratedContent

  init(_ content: GeneratedContent) throws { self.content = content }

  static var form: DynamicGenerationSchema {
    DynamicGenerationSchema(type: Double.self, guides: [.range(0...0.5)])
  }
}

private struct Route: Handmade {
  let content: GeneratedContent

  init(_ content: GeneratedContent) throws { self.content = content }

  static var form: DynamicGenerationSchema {
    let stop = DynamicGenerationSchema(
      name: "Stop",
      properties: [.init(name: "zip", schema: .init(type: Zip.self))]
    )
    return DynamicGenerationSchema(arrayOf: stop, minimumElements: 2)
  }
}

private struct Flight: Handmade {
  let content: GeneratedContent

  init(_ content: GeneratedContent) throws { self.content = content }

  static var form: DynamicGenerationSchema {
    let gate = DynamicGenerationSchema(type: Int.self, guides: [.minimum(1)])
    let stop = DynamicGenerationSchema(
      name: "Stop",
      properties: [.init(name: "gate", schema: gate)]
    )
    return DynamicGenerationSchema(name: "Flight", properties: [.init(name: "next", schema: stop)])
  }
}

@Generable
private struct Address {
  var zip: Zip
  var others: [Zip]?
}

@Generable
private struct Split {
  @Guide(.maximumCount(2)) var shares: [Share]
}

@Generable
private struct Trip {
  var route: Route
}

@Generable
private struct Journey {
  var drive: Route
  var flight: Flight
}
