import Foundation
import Testing

@testable import Transcripts

/// What the encoded form of a schema writes inline, and what it only references.
@Suite struct `A schema on disk with schemas inside`: SchemaDialect {
  /// Returns an object with one property, in the dialect.
  private static func object(_ title: String, _ name: String, _ property: String) -> String {
    #"{"additionalProperties":false,"properties":{"\#(name)":\#(property)},"#
      + #""required":["\#(name)"],"title":"\#(title)","type":"object","x-order":["\#(name)"]}"#
  }

  /// Inserts definitions at the beginning of a schema.
  private func define(_ definitions: String, in schema: String) -> String {
    #"{"$defs":{\#(definitions)},"# + String(schema.dropFirst())
  }

  private static let empty =
    #"{"additionalProperties":false,"properties":{},"required":[],"title":"B","type":"object","#
    + #""x-order":[]}"#

  private static let full = object("A", "b", empty)

  @Test(arguments: [
    full,
    object("A", "b", #"{"anyOf":[{"type":"integer"},\#(empty)],"title":"U"}"#),
    object("A", "b", #"{"enum":["x","y"],"title":"Kind","type":"string"}"#),
    #"{"items":\#(empty),"minItems":1,"type":"array"}"#,
    #"{"anyOf":[\#(full),{"type":"null"}],"title":"U"}"#,
    #"{"items":{"enum":["x","y"],"title":"Kind","type":"string"},"type":"array"}"#,
  ])
  func `is written as it was read, with what stands in its place`(text: String) throws {
    let schema = try read(text)
    #expect(try json(schema) == text)
    #expect(try read(json(schema)) == schema)
  }

  @Test func `is refused when its definitions lead further than a stack could follow`() throws {
    func chain(_ count: Int) -> String {
      let definitions = (0..<count).map { place in
        let next = place + 1 < count ? ##"{"$ref":"#/$defs/\##(place + 1)"}"## : Self.empty
        return #""\#(place)":{"items":\#(next),"type":"array"}"#
      }
      return define(
        definitions.joined(separator: ","),
        in: ##"{"items":{"$ref":"#/$defs/0"},"type":"array"}"##
      )
    }
    #expect(try read(chain(50)).definitions.count == 50)
    #expect(throws: DecodingError.self) { try read(chain(100_000)) }
    let lists = { (inner: String) in
      String(repeating: #"{"type":"array","items":"#, count: 100) + inner
        + String(repeating: "}", count: 100)
    }
    let nested = (0..<20).map { ##""\##($0)":"## + lists(##"{"$ref":"#/$defs/\##($0 + 1)"}"##) }
    let deep = define(
      (nested + [#""20":\#(Self.empty)"#]).joined(separator: ","),
      in: ##"{"items":{"$ref":"#/$defs/0"},"type":"array"}"##
    )
    #expect(throws: DecodingError.self) { try read(deep) }
  }

  @Test func `has a flaw when it is too large to be written out`() throws {
    // Each definition is read when the one that it references is already known.
    let backwards = (0..<2_000).map { ##""p\##($0)":{"$ref":"#/$defs/\##($0)"}"## }
    let definitions = (0..<2_000).map { place in
      let next = place == 0 ? Self.empty : ##"{"$ref":"#/$defs/\##(place - 1)"}"##
      return #""\#(place)":{"items":\#(next),"type":"array"}"#
    }
    let names = (0..<2_000).map { #""p\#($0)""# }.joined(separator: ",")
    let long = define(
      definitions.joined(separator: ","),
      in: #"{"additionalProperties":false,"properties":{\#(backwards.joined(separator: ","))},"#
        + #""required":[],"title":"Long","type":"object","x-order":[\#(names)]}"#
    )
    #expect(try read(long).flaw == "It is too large when written out.")
    let doubling = (0..<40).map { place in
      let next = place == 0 ? #"{"type":"null"}"# : ##"{"$ref":"#/$defs/\##(place - 1)"}"##
      return #""\#(place)":{"additionalProperties":false,"properties":{"a":\#(next),"b":\#(next)},"#
        + #""required":[],"title":"T\#(place)","type":"object","x-order":["a","b"]}"#
    }
    let wide = define(
      doubling.joined(separator: ","),
      in: ##"{"items":{"$ref":"#/$defs/39"},"type":"array"}"##
    )
    #expect(try read(wide).flaw == "It is too large when written out.")
  }

  @Test func `is refused when it names a property twice`() throws {
    var text = #"{"type":"null"}"#
    for _ in 0..<40 {
      text =
        #"{"additionalProperties":false,"properties":{"a":\#(text)},"required":[],"title":"T","#
        + #""type":"object","x-order":["a","a"]}"#
    }
    #expect(throws: DecodingError.self) { try read(text) }
  }

  @Test func `checks a union that is among its own choices`() throws {
    let schema = try read(##"{"anyOf":[{"$ref":"#"},{"type":"integer"}],"title":"U"}"##)
    #expect(schema.violation(by: GeneratedContent(1)) == nil)
    #expect(schema.violation(by: GeneratedContent("x")) != nil)
  }

  @Test func `keeps apart what has one title`() throws {
    let schema = try read(
      define(
        #""A.Kind":{"enum":["a"],"title":"Kind","type":"string"},"#
          + #""B.Kind":{"enum":["b"],"title":"Kind","type":"string"},"#
          + #""B.Part":"# + Self.object("Part", "kind", ##"{"$ref":"#/$defs/B.Kind"}"##)
          + #","Part":"# + Self.object("Part", "kind", ##"{"$ref":"#/$defs/A.Kind"}"##),
        in: ##"{"anyOf":[{"$ref":"#/$defs/Part"},{"$ref":"#/$defs/B.Part"}],"title":"Either"}"##
      )
    )
    func part(_ choice: String) -> String {
      #"{"type": "object", "properties": {"kind": {"type": "string", "enum": ["\#(choice)"]}}, "#
        + #""required": ["kind"]}"#
    }
    let parts = [part("a"), part("b")].joined(separator: ", ")
    #expect(schema.debugDescription == #"{"anyOf": [\#(parts)]}"#)
    #expect(try schema.violation(by: GeneratedContent(json: #"{"kind": "b"}"#)) == nil)
    #expect(try read(json(schema)) == schema)
  }

  @Test func `is not taken for a definition that has its title`() throws {
    let inner = Self.object("Order", "count", #"{"type":"integer"}"#)
    let outer = Self.object("Order", "inner", ##"{"$ref":"#/$defs/inner"}"##)
    let text = define(#""inner":\#(inner)"#, in: outer)
    let schema = try read(text)
    #expect(
      schema.debugDescription
        == #"{"type": "object", "properties": {"inner": {"type": "object", "properties": {"#
        + #""count": {"type": "integer"}}, "required": ["count"]}}, "required": ["inner"]}"#
    )
    let content = try GeneratedContent(json: #"{"inner": {"count": 1}}"#)
    #expect(schema.violation(by: content) == nil)
    #expect(try json(schema) == text)
  }

  @Test func `may refer to itself beside a definition of any name`() throws {
    let choices = ##"[{"$ref":"#"},{"$ref":"#/$defs/#"}]"##
    let list = #"{"items":{"anyOf":\#(choices),"title":"U"},"type":"array"}"#
    let text = define(##""#":\##(Self.empty)"##, in: Self.object("Node", "next", list))
    let schema = try read(text)
    #expect(try json(schema) == text)
    #expect(schema.debugDescription.contains(##"{"$ref": "#/$defs/Node"}"##))
    let content = try GeneratedContent(json: #"{"next": [{}, {"next": []}]}"#)
    #expect(schema.violation(by: content) == nil)
  }

  @Test func `may be a list of such lists`() throws {
    let list = ##"{"items":{"$ref":"#/$defs/L"},"type":"array"}"##
    for text in [
      define(#""L":\#(list)"#, in: list), ##"{"items":{"$ref":"#"},"type":"array"}"##,
    ] {
      let schema = try read(text)
      #expect(try json(schema) == text)
      #expect(try read(json(schema)) == schema)
      #expect(try schema.violation(by: GeneratedContent(json: "[[], [[]]]")) == nil)
      #expect(try schema.violation(by: GeneratedContent(json: "[[], [1]]")) != nil)
    }
  }

  @Test func `holds what its definitions are bound to`() throws {
    let schema = try read(
      define(
        #""Age":{"maximum":120,"minimum":0,"type":"integer"},"#
          + ##""Ages":{"items":{"$ref":"#/$defs/Age"},"maxItems":2,"type":"array"}"##,
        in: Self.object("Person", "ages", ##"{"$ref":"#/$defs/Ages"}"##)
      )
    )
    #expect(
      schema.debugDescription
        == #"{"type": "object", "properties": {"ages": {"type": "array", "items": {"#
        + #""type": "integer", "minimum": 0, "maximum": 120}, "maxItems": 2}}, "#
        + #""required": ["ages"]}"#
    )
    let old = try GeneratedContent(json: #"{"ages": [121]}"#)
    #expect(schema.violation(by: old) == "The property 'ages', element 1, is more than 120.")
    let many = try GeneratedContent(json: #"{"ages": [1, 2, 3]}"#)
    #expect(schema.violation(by: many) == "The property 'ages' has more than 2 elements.")
    #expect(try read(json(schema)) == schema)
  }
}
