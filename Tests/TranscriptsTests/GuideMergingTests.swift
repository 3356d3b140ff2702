import AgentKit
import Foundation
import Testing

@testable import Transcripts

@Suite struct `Several guides of one kind` {
  private func schema<Value: Generable>(
    of type: Value.Type,
    _ guides: GenerationGuide<Value>...
  ) throws -> GenerationSchema {
    let root = DynamicGenerationSchema(type: type, guides: guides)
    return try GenerationSchema(root: root, dependencies: [])
  }

  @Test func `hold a number to the tightest bounds`() throws {
    let schema = try schema(of: Int.self, .minimum(1), .minimum(3), .range(0...9), .maximum(12))
    #expect(schema.debugDescription == #"{"type": "integer", "minimum": 3, "maximum": 9}"#)
    #expect(schema.violation(by: GeneratedContent(2)) == "The content is less than 3.")
    #expect(schema.violation(by: GeneratedContent(10)) == "The content is more than 9.")
    #expect(schema.flaw == nil)
  }

  @Test func `hold a list to the tightest counts, and its elements to all bounds`() throws {
    let schema = try schema(
      of: [Int].self,
      .count(1...9),
      .maximumCount(3),
      .minimumCount(2),
      .element(.minimum(0)),
      .element(.range(-5...5))
    )
    #expect(
      schema.debugDescription
        == #"{"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 5}, "#
        + #""minItems": 2, "maxItems": 3}"#
    )
    let copy = try JSONDecoder().decode(GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
  }

  @Test func `leave a text the choices that all of them have`() throws {
    let schema = try schema(of: String.self, .anyOf(["a", "b", "c"]), .anyOf(["c", "b", "x"]))
    #expect(schema.debugDescription == #"{"type": "string", "enum": ["b", "c"]}"#)
  }

  @Test func `hold a text to the last pattern only`() throws {
    let schema = try schema(of: String.self, .pattern(/(.)\1/), .pattern(/[a-z]+/))
    #expect(schema.debugDescription == #"{"type": "string", "pattern": "^([a-z]+)$"}"#)
    #expect(schema.flaw == nil)
    #expect(schema.violation(by: GeneratedContent("ab")) == nil)
    #expect(schema.violation(by: GeneratedContent("1")) != nil)
    let copy = try JSONDecoder().decode(GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    let first = try self.schema(of: String.self, .pattern(/[a-z]+/), .pattern(/(.)\1/))
    #expect(first.flaw?.contains(#"(.)\1"#) == true)
  }

  @Test func `are a flaw when nothing keeps to all of them`() throws {
    #expect(try schema(of: [Int].self, .minimumCount(3), .maximumCount(2)).flaw != nil)
    #expect(try schema(of: [Int].self, .count(1), .count(2)).flaw != nil)
    #expect(try schema(of: [Int].self, .element(.minimum(2)), .element(.maximum(1))).flaw != nil)
    #expect(try schema(of: Int.self, .range(1...2), .range(3...4)).flaw != nil)
    #expect(try schema(of: String.self, .anyOf(["a"]), .anyOf(["b"])).flaw != nil)
    #expect(try schema(of: String.self, .constant("a"), .constant("b")).flaw != nil)
    #expect(try schema(of: String.self, .constant("a"), .anyOf(["b"])).flaw != nil)
    #expect(try schema(of: String.self, .anyOf(["a"]), .anyOf([])).flaw != nil)
    #expect(try schema(of: [Int].self, .count(2), .count(1...2)).flaw == nil)
    #expect(try schema(of: String.self, .constant("a"), .constant("a")).flaw == nil)
  }
}

@Suite struct `A list of choices that is empty` {
  @Test func `is a flaw, and a flaw names the property that has it`() {
    let problem = "The list of choices is empty. Give at least one choice."
    #expect(Dish.generationSchema.flaw == "In the property 'name': \(problem)")
    #expect(Meal.generationSchema.flaw == "In the property 'dishes.name': \(problem)")
    #expect(Spices.generationSchema.flaw == "In the property 'names': \(problem)")
    #expect(GenerationSchema(type: Dish.self, anyOf: [String]()).flaw == problem)
    #expect(
      GenerationSchema(type: Dish.self, anyOf: [any Generable.Type]()).flaw
        == "The list of types is empty. Give at least one type."
    )
  }
}

@Generable
private struct Dish {
  @Guide(.anyOf([])) var name: String
}

@Generable
private struct Meal {
  var isWarm: Bool
  var dishes: [Dish]?
}

@Generable
private struct Spices {
  @Guide(.element(.anyOf([]))) var names: [String]
}
