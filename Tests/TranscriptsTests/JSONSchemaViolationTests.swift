import Testing
import Transcripts

/// The check of generated content against a JSON Schema that was written elsewhere.
@Suite struct `Content checked against a JSON Schema`: Sendable {
  private func violation(_ content: String, _ schema: String) throws -> String? {
    try JSONSchema(json: schema).violation(by: GeneratedContent(json: content))
  }

  @Test(arguments: [
    (#"{"type":"integer"}"#, "3", "3.5"),
    (#"{"type":"integer"}"#, "1.0", #""1""#),
    (#"{"type":["string","null"]}"#, "null", "1"),
    (#"{"enum":[1,"a",null]}"#, "1.0", #""b""#),
    (#"{"const":{"a":[1]}}"#, #"{"a":[1]}"#, #"{"a":[2]}"#),
    (#"{"minimum":1,"maximum":3}"#, "3", "4"),
    (#"{"exclusiveMinimum":1}"#, "1.5", "1"),
    (#"{"exclusiveMaximum":3}"#, #""text""#, "3"),
    (#"{"multipleOf":0.1}"#, "0.3", "0.35"),
    (#"{"minLength":2,"maxLength":3}"#, #""äöü""#, #""a""#),
    (#"{"pattern":"b+"}"#, #""abbc""#, #""ac""#),
    (#"{"pattern":"^\\w+$"}"#, #""ab_1""#, #""ä""#),
    (#"{"pattern":"^\\d{3}-[^/]+$"}"#, #""123-x""#, #""123-/""#),
    (#"{"minItems":1,"maxItems":2}"#, "[1]", "[]"),
    (#"{"uniqueItems":true}"#, "[1,2]", "[1,1.0]"),
    (#"{"items":{"type":"string"}}"#, #"["a"]"#, #"["a",1]"#),
    (
      #"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#, #"["a",1]"#, #"["a","b"]"#
    ),
    (#"{"items":false}"#, "[]", "[1]"),
    (#"{"contains":{"const":2}}"#, "[1,2]", "[1]"),
    (#"{"required":["a"]}"#, #"{"a":null}"#, "{}"),
    (#"{"properties":{"a":{"properties":{"b":{"type":"string"}}}}}"#, "{}", #"{"a":{"b":1}}"#),
    (#"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"a":1}"#, #"{"b":1}"#),
    (#"{"additionalProperties":{"type":"integer"}}"#, #"{"b":1}"#, #"{"b":"1"}"#),
    (
      #"{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}"#,
      #"{"x-a":"b"}"#, #"{"y":"b"}"#
    ),
    (#"{"propertyNames":{"maxLength":2}}"#, #"{"ab":1}"#, #"{"abc":1}"#),
    (#"{"minProperties":1}"#, #"{"a":1}"#, "{}"),
    (#"{"dependentRequired":{"a":["b"]}}"#, #"{"b":1}"#, #"{"a":1}"#),
    (#"{"anyOf":[{"type":"string"},{"minimum":3}]}"#, "4", "2"),
    (#"{"oneOf":[{"minimum":1},{"minimum":3}]}"#, "2", "4"),
    (#"{"allOf":[{"minimum":1},{"maximum":3}]}"#, "2", "4"),
    (#"{"not":{"type":"string"}}"#, "1", #""a""#),
    (#"{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}}"#, #""ab""#, "4"),
    (##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}"##, #""a""#, "1"),
    (
      ##"{"properties":{"again":{"$ref":"#"}},"required":["x"]}"##, #"{"x":1}"#,
      #"{"x":1,"again":{}}"#
    ),
    ("false", "", "1"),
  ])
  func `is taken or refused by each keyword`(schema: String, good: String, bad: String) throws {
    if !good.isEmpty { #expect(try violation(good, schema) == nil) }
    #expect(try violation(bad, schema) != nil)
  }

  @Test func `is refused with the place and the reason`() throws {
    #expect(
      try violation(
        #"{"orders":[{"count":0}]}"#,
        #"{"properties":{"orders":{"items":{"properties":{"count":{"minimum":1}}}}}}"#
      ) == "The property 'orders', element 1, property 'count', is less than 1."
    )
  }

  @Test func `is not refused for what cannot be read or is elsewhere`() throws {
    for schema in [
      #"{"pattern":"(?<!a)b("}"#, #"{"$ref":"https://example.com/x"}"#, #"{"minLength":"2"}"#,
      #"{"unknown":1}"#, "true", "null", #"{"type":7,"enum":3,"anyOf":[],"required":{}}"#,
    ] {
      #expect(try violation(#""a""#, schema) == nil)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `ends soon, whatever the schema`() throws {
    #expect(try violation("1", ##"{"$ref":"#"}"##) == nil)
    #expect(try violation("1", ##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"type":"string"}"##) != nil)
    let many = String(repeating: "1,", count: 20_000) + "2"
    _ = try violation("[\(many)]", #"{"uniqueItems":true,"items":{"type":"integer"}}"#)
    #expect(
      try violation(#""\#(String(repeating: "a", count: 900))b""#, #"{"pattern":"^(a+)+$"}"#)
        != nil
    )
  }
}
