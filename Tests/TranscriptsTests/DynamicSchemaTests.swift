import Foundation
import Testing
import Transcripts

@Suite struct `A schema made at run time` {
  private typealias Dynamic = DynamicGenerationSchema

  private func object(_ name: String, _ properties: [Dynamic.Property]) -> Dynamic {
    Dynamic(name: name, properties: properties)
  }

  @Test func `renders as the same schema of a type would`() throws {
    let guest = object("Guest", [.init(name: "name", schema: .init(type: String.self))])
    let stay = Dynamic(
      name: "Stay",
      description: "A stay",
      properties: [
        .init(
          name: "nights",
          description: "How long",
          schema: .init(type: Int.self, guides: [.range(1...9)])
        ),
        .init(
          name: "guests",
          schema: .init(arrayOf: guest, minimumElements: 1, maximumElements: 4)
        ),
        .init(name: "mood", schema: .init(name: "Mood", anyOf: ["calm", "festive"])),
        .init(name: "note", schema: .init(type: String.self), isOptional: true),
      ]
    )
    let schema = try GenerationSchema(root: stay, dependencies: [])
    #expect(schema.name == "Stay")
    #expect(
      schema.debugDescription
        == #"{"type": "object", "description": "A stay", "properties": {"#
        + #""nights": {"type": "integer", "description": "How long", "minimum": 1, "maximum": 9}, "#
        + #""guests": {"type": "array", "items": {"type": "object", "properties": {"#
        + #""name": {"type": "string"}}, "required": ["name"]}, "minItems": 1, "maxItems": 4}, "#
        + #""mood": {"type": "string", "enum": ["calm", "festive"]}, "#
        + #""note": {"type": "string"}}, "required": ["nights", "guests", "mood"]}"#
    )
  }

  @Test func `may refer to its dependencies and to itself`() throws {
    let node = object(
      "Node",
      [
        .init(name: "label", schema: .init(referenceTo: "Label")),
        .init(name: "children", schema: .init(arrayOf: .init(referenceTo: "Node"))),
      ]
    )
    let label = Dynamic(name: "Label", anyOf: ["a", "b"])
    let schema = try GenerationSchema(root: node, dependencies: [label])
    let json = schema.debugDescription
    #expect(json.contains(#""label": {"type": "string", "enum": ["a", "b"]}"#))
    #expect(json.contains(##""items": {"$ref": "#/$defs/Node"}"##))
  }

  @Test func `may be a choice, a list, null or a type`() throws {
    let union = Dynamic(name: "Answer", anyOf: [.init(type: Int.self), .null])
    #expect(
      try GenerationSchema(root: union, dependencies: []).debugDescription
        == #"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#
    )
    let list = Dynamic(arrayOf: .init(type: Bool.self), maximumElements: 2)
    let schema = try GenerationSchema(root: list, dependencies: [])
    #expect(schema.name == "Array<Bool>")
    #expect(
      schema.debugDescription
        == #"{"type": "array", "items": {"type": "boolean"}, "maxItems": 2}"#
    )
    let number = Dynamic(type: Double.self, guides: [.minimum(0)])
    #expect(
      try GenerationSchema(root: number, dependencies: []).debugDescription
        == #"{"type": "number", "minimum": 0}"#
    )
  }

  @Test func `may ask for null where there is no value`() throws {
    let form = Dynamic(
      name: "Form",
      representNilExplicitlyInGeneratedContent: true,
      properties: [.init(name: "note", schema: .init(type: String.self), isOptional: true)]
    )
    #expect(
      try GenerationSchema(root: form, dependencies: []).debugDescription
        == #"{"type": "object", "properties": {"note": {"anyOf": [{"type": "string"}, "#
        + #"{"type": "null"}]}}, "required": ["note"]}"#
    )
  }

  @Test func `may use one schema in several places`() throws {
    let address = object("Address", [.init(name: "street", schema: .init(type: String.self))])
    let person = object(
      "Person",
      [.init(name: "home", schema: address), .init(name: "work", schema: address)]
    )
    #expect(throws: Never.self) { try GenerationSchema(root: person, dependencies: []) }
  }

  @Test func `may use a schema again with all that it refers to`() throws {
    let label = Dynamic(name: "Label", anyOf: ["a", "b"])
    let node = object(
      "Node",
      [
        .init(name: "label", schema: .init(referenceTo: "Label")),
        .init(name: "place", schema: object("Place", [])),
        .init(name: "children", schema: .init(arrayOf: .init(referenceTo: "Node"))),
      ]
    )
    let pair = object("Pair", [.init(name: "one", schema: node), .init(name: "two", schema: node)])
    #expect(throws: Never.self) {
      try GenerationSchema(root: pair, dependencies: [label, label, node])
    }
  }

  /// The error with which a schema is refused.
  private func refusal(
    of root: Dynamic,
    with dependencies: [Dynamic] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> GenerationSchema.SchemaError? {
    return #expect(throws: GenerationSchema.SchemaError.self, sourceLocation: sourceLocation) {
      try GenerationSchema(root: root, dependencies: dependencies)
    }
  }

  @Test func `is refused when two schemas have one name`() {
    let error = refusal(
      of: Dynamic(name: "A", anyOf: ["x"]),
      with: [Dynamic(name: "A", anyOf: ["y"])]
    )
    #expect(error?.outline == "duplicate type A")
    #expect(error?.errorDescription == "Two different schemas are named 'A'.")
    #expect(error?.recoverySuggestion?.isEmpty == false)
  }

  @Test(arguments: [false, true])
  func `is refused when two schemas of one name refer to different ones`(inList: Bool) {
    func line(to name: String) -> Dynamic {
      let end = object(name, [.init(name: "x", schema: .init(type: Int.self))])
      return object("Line", [.init(name: "end", schema: inList ? .init(arrayOf: end) : end)])
    }
    let root = object(
      "Drawing",
      [.init(name: "first", schema: line(to: "A")), .init(name: "second", schema: line(to: "B"))]
    )
    #expect(refusal(of: root)?.outline == "duplicate type Line")
  }

  @Test func `is refused when two schemas of one name describe what they refer to differently`() {
    let end = object("End", [.init(name: "x", schema: .init(type: Int.self))])
    func line(_ words: String) -> Dynamic {
      object("Line", [.init(name: "end", description: words, schema: end)])
    }
    let root = object(
      "Drawing",
      [.init(name: "a", schema: line("first")), .init(name: "b", schema: line("last"))]
    )
    #expect(refusal(of: root)?.outline == "duplicate type Line")
  }

  @Test func `is refused when an object has a property twice`() {
    let property = Dynamic.Property(name: "x", schema: .init(type: Int.self))
    #expect(refusal(of: object("A", [property, property]))?.outline == "duplicate property A.x")
  }

  @Test func `is refused when there is nothing to choose from`() {
    for empty in [
      Dynamic(name: "A", anyOf: [String]()), Dynamic(name: "A", anyOf: [Dynamic]()),
    ] {
      #expect(refusal(of: empty)?.outline == "no choices in A")
    }
  }

  @Test func `is refused when it refers to what is not there`() {
    let root = object(
      "A",
      [
        .init(name: "b", schema: .init(referenceTo: "B")),
        .init(name: "c", schema: .init(referenceTo: "C")),
      ]
    )
    let error = refusal(of: root, with: [Dynamic(name: "C", anyOf: ["c"])])
    #expect(error?.outline == "undefined references in A: B")
  }
}

extension GenerationSchema.SchemaError {
  /// The case, with the names in it.
  fileprivate var outline: String {
    switch self {
    case .duplicateType(_, let type, _): "duplicate type \(type)"
    case .duplicateProperty(let schema, let property, _): "duplicate property \(schema).\(property)"
    case .emptyTypeChoices(let schema, _): "no choices in \(schema)"
    case .undefinedReferences(let schema, let references, _):
      "undefined references in \(schema ?? "-"): \(references.joined(separator: ", "))"
    }
  }
}
