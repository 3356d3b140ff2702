import Testing
import Transcripts

@Suite struct `The JSON writer` {
  @Test func `keeps the order of keys and puts a space after each comma and colon`() {
    let content = GeneratedContent(properties: [
      "zeta": 1, "alpha": ["x", "y"], "mid": GeneratedContent(properties: ["b": true, "a": false]),
    ])
    #expect(
      content.jsonString == #"{"zeta": 1, "alpha": ["x", "y"], "mid": {"b": true, "a": false}}"#
    )
  }

  @Test func `writes what is empty without spaces`() {
    #expect(GeneratedContent(properties: [:]).jsonString == "{}")
    #expect(GeneratedContent(kind: .array([])).jsonString == "[]")
    #expect(GeneratedContent(kind: .null).jsonString == "null")
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0"), (7, "7"), (-12, "-12"), (1.5, "1.5"), (-0.125, "-0.125"),
    (9_007_199_254_740_991, "9007199254740991"), (1e300, "1e+300"),
    (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"), (.nan, "null"),
  ])
  func `writes whole numbers without a fraction and nothing that is no JSON`(
    value: Double,
    text: String
  ) {
    #expect(GeneratedContent(value).jsonString == text)
  }

  @Test(arguments: [
    ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#), ("\n\r\t", #""\n\r\t""#),
    ("\u{8}\u{C}", #""\b\f""#), ("\u{0}\u{1F}", #""\u0000\u001f""#), ("\u{7F}", "\"\u{7F}\""),
    ("é🕊️", "\"é🕊️\""), ("e\u{301}", "\"e\u{301}\""), ("\r\n", #""\r\n""#),
  ])
  func `escapes what JSON does not allow in a text, and nothing else`(
    value: String,
    text: String
  ) {
    let written = GeneratedContent(value).jsonString
    // Compare Unicode scalars: strings that look alike are equal in Swift, but not to a model.
    #expect(Array(written.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func `escapes keys as it does texts`() {
    #expect(GeneratedContent(properties: ["a\"b": 1]).jsonString == #"{"a\"b": 1}"#)
  }

  @Test func `writes a key that is given twice once, in its first place`() {
    let content = GeneratedContent(properties: ["a": 1, "b": 2, "a": 3])
    #expect(content.jsonString == #"{"a": 3, "b": 2}"#)
  }

  @Test(arguments: [
    #"{"b": [1, -2.5, 1e+300, {"c": null}], "a": "\u0001 \" \\ é", "t": true}"#,
    "[]", "{}", #""x""#, "12", "null",
    #"[[[[{"deep": [false]}]]]]"#,
  ])
  func `writes what was read from it`(text: String) throws {
    #expect(try GeneratedContent(json: text).jsonString == text)
  }
}
