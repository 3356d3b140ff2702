import Foundation
import Testing
import Transcripts

/// What a model is held to of a JSON Schema that was written elsewhere.
@Suite struct `A JSON Schema from outside`: SchemaDialect {
  private func convert(_ json: String) throws -> SchemaConversion {
    try JSONSchema(json: json).argumentsConversion(named: "call")
  }

  private func omitted(_ conversion: SchemaConversion) -> [String] {
    conversion.omissions.map { "\($0.place) \($0.keyword)\($0.isChecked ? "" : " unchecked")" }
  }

  @Test func `of common keywords is held completely`() throws {
    let conversion = try convert(
      #"{"type":"object","properties":{"city":{"type":"string","description":"Where"},"#
        + #""unit":{"enum":["C","F"]},"days":{"type":"integer","minimum":1,"maximum":7},"#
        + #""tags":{"type":"array","items":{"type":"string"},"maxItems":3},"#
        + #""code":{"type":"string","pattern":"^[a-z]{2}$"}},"#
        + #""required":["city"],"additionalProperties":false}"#
    )
    #expect(omitted(conversion) == [])
    #expect(
      conversion.schema.debugDescription
        == #"{"type": "object", "properties": {"city": {"type": "string", "description": "Where"}, "#
        + #""unit": {"type": "string", "enum": ["C", "F"]}, "#
        + #""days": {"type": "integer", "minimum": 1, "maximum": 7}, "#
        + #""tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3}, "#
        + #""code": {"type": "string", "pattern": "^([a-z]{2})$"}}, "required": ["city"]}"#
    )
  }

  @Test(arguments: [
    (#"{"type":["string","null"]}"#, #"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#),
    (#"{"type":"string","nullable":true}"#, #"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#),
    (#"{"enum":[1,2,3]}"#, #"{"type": "integer", "minimum": 1, "maximum": 3}"#),
    (#"{"enum":["a",null]}"#, #"{"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]}"#),
    (#"{"const":"on"}"#, #"{"type": "string", "const": "on"}"#),
    (#"{"type":"integer","exclusiveMinimum":0}"#, #"{"type": "integer", "minimum": 1}"#),
    (#"{"type":"object"}"#, #"{"type": "object"}"#),
    (
      #"{"type":"object","additionalProperties":{"type":"integer"}}"#,
      #"{"type": "object", "additionalProperties": {"type": "integer"}}"#
    ),
    (#"{"type":"array"}"#, #"{"type": "array", "items": {}}"#),
    (#"{"type":"string","pattern":"^(a|b)$"}"#, #"{"type": "string", "pattern": "^((a|b))$"}"#),
    (#"true"#, "{}"),
    (
      #"{"anyOf":[{"type":"integer"},{"type":"boolean"}]}"#,
      #"{"anyOf": [{"type": "integer"}, {"type": "boolean"}]}"#
    ),
    (
      #"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},"#
        + #"{"properties":{"b":{"type":"integer","minimum":2}}}]}"#,
      #"{"type": "object", "properties": {"a": {"type": "string"}, "#
        + #""b": {"type": "integer", "minimum": 2}}, "required": ["a"]}"#
    ),
    (
      #"{"type":"object","properties":{"k":{"type":"string"}},"required":["k"],"anyOf":["#
        + #"{"properties":{"a":{"type":"null"}}},{"properties":{"b":{"type":"null"}}}]}"#,
      #"{"anyOf": [{"type": "object", "properties": {"k": {"type": "string"}, "a": {"type": "null"}}, "#
        + #""required": ["k"]}, {"type": "object", "properties": {"k": {"type": "string"}, "#
        + #""b": {"type": "null"}}, "required": ["k"]}]}"#
    ),
  ])
  func `has what a grammar can hold of a property`(json: String, held: String) throws {
    let conversion = try convert(#"{"properties":{"p":\#(json)}}"#)
    #expect(omitted(conversion) == [])
    #expect(
      conversion.schema.debugDescription
        == #"{"type": "object", "properties": {"p": \#(held)}, "required": []}"#
    )
  }

  @Test(arguments: [
    (#"{"type":"string","maxLength":9000}"#, "maxLength", true),
    (#"{"type":"string","pattern":"(?=a)b"}"#, "pattern", true),
    (#"{"type":"string","pattern":"^a"}"#, "pattern", true),
    (#"{"type":"string","minLength":1}"#, "minLength", true),
    (#"{"type":"number","exclusiveMaximum":1}"#, "exclusiveMaximum", true),
    (#"{"type":"integer","multipleOf":5}"#, "multipleOf", true),
    (#"{"type":"integer","enum":[1,5]}"#, "enum", true),
    (#"{"type":"array","uniqueItems":true}"#, "uniqueItems", true),
    (#"{"type":"string","not":{"const":"a"}}"#, "not", true),
    (#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#, "oneOf", true),
    (#"{"$ref":"https://example.com/schema.json"}"#, "$ref", true),
    (#"{"type":"object","unevaluatedProperties":false}"#, "unevaluatedProperties", false),
    (#"{"type":"money"}"#, "type", true),
    (#"{"type":"number","minimum":1e999999}"#, "minimum", true),
  ])
  func `lists the keywords that a grammar cannot hold`(
    json: String,
    keyword: String,
    isChecked: Bool
  ) throws {
    let conversion = try convert(#"{"properties":{"p":\#(json)}}"#)
    #expect(omitted(conversion) == ["#/properties/p \(keyword)\(isChecked ? "" : " unchecked")"])
    #expect(conversion.schema.flaw == nil)
  }

  @Test func `tells the model in a description what it is not held to`() throws {
    let conversion = try convert(
      #"{"properties":{"p":{"type":"string","description":"A day.","format":"date","#
        + #""maxLength":9000,"default":"today"}}}"#
    )
    #expect(
      conversion.schema.debugDescription.contains(
        #""description": "A day. (maxLength: 9000; format: \"date\"; default: \"today\")""#
      )
    )
  }

  @Test func `keeps definitions that contain themselves`() throws {
    let json =
      ##"{"properties":{"tree":{"$ref":"#/definitions/Node"}},"definitions":{"Node":{"type":"object","##
      + ##""properties":{"label":{"type":"string"},"children":{"type":"array","items":"##
      + ##"{"allOf":[{"$ref":"#/definitions/Node"}],"description":"Below"}}},"required":["label"]}}}"##
    let conversion = try convert(json)
    #expect(omitted(conversion) == [])
    #expect(
      conversion.schema.debugDescription
        == ##"{"type": "object", "properties": {"tree": {"$ref": "#/$defs/Node"}}, "required": [], "##
        + ##""$defs": {"Node": {"type": "object", "properties": {"label": {"type": "string"}, "##
        + ##""children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, "##
        + ##""required": ["label"]}}}"##
    )
  }

  @Test func `may refer to itself as a whole, and by any pointer`() throws {
    let conversion = try convert(
      ##"{"type":"object","properties":{"a~b/c":{"type":"integer"},"again":{"$ref":"#"},"##
        + ##""same":{"$ref":"#/properties/a~0b~1c"}}}"##
    )
    #expect(omitted(conversion) == [])
    #expect(conversion.schema.flaw == nil)
    #expect(conversion.schema.debugDescription.contains(##""same": {"type": "integer"}"##))
  }

  @Test func `of arguments in several forms has the properties of all`() throws {
    let conversion = try convert(
      #"{"anyOf":[{"properties":{"id":{"type":"integer"},"x":{"type":"string"}},"required":["id","x"]},"#
        + #"{"properties":{"id":{"type":"string"}},"required":["id"]}]}"#
    )
    #expect(omitted(conversion) == ["# anyOf"])
    #expect(
      conversion.schema.debugDescription
        == #"{"type": "object", "properties": {"id": {"anyOf": [{"type": "integer"}, "#
        + #"{"type": "string"}]}, "x": {"type": "string"}}, "required": ["id"]}"#
    )
  }

  @Test(arguments: ["{}", "true", "null", "[]", #"{"type":"object"}"#, #"{"type":"string"}"#])
  func `of a function without arguments is an empty object`(json: String) throws {
    #expect(
      try convert(json).schema.debugDescription
        == #"{"type": "object", "properties": {}, "required": []}"#
    )
  }

  @Test(arguments: [
    ##"{"properties":{"p":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}"##,
    ##"{"properties":{"p":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"type":"object","##
      + ##""properties":{"b":{"$ref":"#/$defs/B"}}},{"$ref":"#/$defs/B"}]},"##
      + ##""B":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"integer"}]}}}"##,
    #"{"properties":{"p":{"type":"integer","minimum":3,"maximum":1}}}"#,
    #"{"properties":{"p":{"enum":["a"],"allOf":[{"enum":["b"]}]}}}"#,
  ])
  func `that no grammar can follow leaves the names of the properties`(json: String) throws {
    let conversion = try convert(json)
    #expect(conversion.schema.flaw == nil)
    #expect(
      conversion.schema.debugDescription.hasPrefix(#"{"type": "object", "properties": {"p": {"#)
    )
  }

  @Test func `that expands without end is bounded`() throws {
    var definitions = (0..<30).map { index in
      ##""D\##(index)":{"allOf":[{"$ref":"#/$defs/D\##(index + 1)"},{"$ref":"#/$defs/D\##(index + 1)"}],"a":1}"##
    }
    definitions.append(#""D30":{"type":"string"}"#)
    for json in [
      ##"{"properties":{"p":{"$ref":"#/$defs/D0"}},"$defs":{\##(definitions.joined(separator: ","))}}"##,
      ##"{"properties":{"p":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/A"}}}"##,
      ##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
    ] {
      let conversion = try convert(json)
      #expect(conversion.schema.flaw == nil)
      #expect(!conversion.omissions.isEmpty)
    }
  }

  @Test func `survives the way to disk and back`() throws {
    for json in [
      ##"{"properties":{"t":{"$ref":"#/definitions/N"},"m":{"type":"object"}},"definitions":{"N":{"##
        + ##""properties":{"n":{"type":"object","additionalProperties":{"$ref":"#/definitions/N"}}}}}}"##,
      #"{"properties":{"u":{"anyOf":[{"type":"string"},{"type":"integer","minimum":2}]}}}"#,
      ##"{"properties":{"again":{"$ref":"#"},"e":{"enum":["a",null,3]}}}"##,
    ] {
      let schema = try convert(json).schema
      let copy = try read(self.json(schema))
      #expect(copy == schema)
    }
  }

  @Test func `keeps the order of its keys as a value that is coded`() throws {
    let schema = try JSONSchema(json: #"{"b":1,"a":{"d":12345678901234567890123,"c":[]}}"#)
    let copy = try JSONDecoder().decode(JSONSchema.self, from: JSONEncoder().encode(schema))
    #expect(copy.document.jsonString == schema.document.jsonString)
  }
}
