import Testing
import Transcripts

@Suite struct `The JSON reader` {
  @Test(arguments: [
    ("null", GeneratedContent.Kind.null), ("true", .bool(true)), (" false\n", .bool(false)),
    ("0", .number(0)), ("-0", .number(0)), ("-12.5e-1", .number(-1.25)), ("2E+3", .number(2000)),
    ("\"\"", .string("")), ("\"a b\"", .string("a b")), ("[]", .array([])),
    ("{ }", .structure(properties: [:], orderedKeys: [])),
    (
      "[1, \"x\"\t]",
      .array([GeneratedContent(kind: .number(1)), GeneratedContent(kind: .string("x"))])
    ),
  ])
  func `reads every kind`(text: String, kind: GeneratedContent.Kind) throws {
    let content = try GeneratedContent(json: text)
    #expect(content.kind == kind)
    #expect(content.isComplete)
  }

  @Test func `refuses more values than anything has`() throws {
    let zeros = [String](repeating: "0", count: 1 << 20).joined(separator: ",")
    #expect(throws: GeneratedContent.ParsingError.self) { try GeneratedContent(json: "[\(zeros)]") }
    #expect(try GeneratedContent(json: "[\(zeros.dropFirst(2))]").elements?.count == (1 << 20) - 1)
  }

  @Test func `keeps the order of keys, and the last value of a key that comes twice`() throws {
    let content = try GeneratedContent(json: #"{"z":1,"a":{"y":2,"b":3},"z":4}"#)
    #expect(content.jsonString == #"{"z": 4, "a": {"y": 2, "b": 3}}"#)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\ud83d\ude00!""#, "😀!"), (#""\uD83D\uDE00""#, "😀"),
    (#""\ud83d""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\n""#, "\u{FFFD}\n"),
    (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
    (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
  ])
  func `reads escapes, and a lone half of a character as a replacement`(
    text: String,
    value: String
  ) throws {
    #expect(try GeneratedContent(json: text).kind == .string(value))
  }

  @Test func `reads line breaks inside texts, which models write`() throws {
    #expect(try GeneratedContent(json: "\"a\nb\"").kind == .string("a\nb"))
  }

  @Test func `bounds nesting`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try GeneratedContent(json: nested(128)).isComplete)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: nested(129))
    }
    #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: String(repeating: "{\"a\":", count: 100_000))
    }
  }

  @Test(arguments: [
    ("", 0), ("  ", 0), ("{1", 1), ("{\"a\" 1", 5), ("{\"a\": 1 \"b\"", 8), ("[1 2]", 3),
    ("[1,]", 3), ("{\"a\":1,}", 7), ("nul!", 3), ("true false", 5), ("{} x", 3), ("'a'", 0),
    ("\"\\q\"", 3), ("\"\\uZZZZ\"", 3), ("\"\\u00g", 5), ("\"\\ud83d\\uZ", 9), ("01", 1),
    ("+1", 0), (".5", 0), ("[1.]", 3), ("[--1", 2), ("[1e]", 3), ("[-]", 2),
    ("]", 0), ("NaN", 0),
  ])
  func `says where a text is malformed`(text: String, offset: Int) {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: text)
    }
    #expect(error?.rawContent == text)
    let problem = error?.debugDescription ?? ""
    #expect(problem.hasSuffix("at byte \(offset)."), "\(problem)")
  }
}

@Suite struct `JSON that breaks off` {
  @Test(arguments: [
    ("{", "{}"), (#""a"#, #""a""#), (#"{"a"#, "{}"), (#"{"a""#, "{}"), (#"{"a":"#, "{}"),
    (#"{"a": 1"#, #"{"a": 1}"#),
    (#"{"a": 1,"#, #"{"a": 1}"#), (#"{"a": "x"#, #"{"a": "x"}"#), (#"{"a": tr"#, "{}"),
    ("[1, 2", "[1, 2]"), ("[1.", "[1]"), ("[1.5e", "[1.5]"), ("[-", "[]"), ("[[1], [", "[[1], []]"),
    (#""a\"#, #""a""#), (#""a\u00"#, #""a""#), (#""a\ud83d"#, #""a""#), (#""a\ud83d\"#, #""a""#),
    (#""a\ud83d\ude"#, #""a""#), ("1.", "1"), ("-3e", "-3"),
  ])
  func `keeps what is there`(text: String, known: String) throws {
    let content = try GeneratedContent(json: text)
    #expect(content.jsonString == known)
    #expect(!content.isComplete)
  }

  @Test func `is known to be incomplete in its last part only`() throws {
    let content = try GeneratedContent(json: #"{"a": "x", "b": ["y", "z"#)
    guard case .structure(let properties, _) = content.kind else {
      Issue.record("An object is an object.")
      return
    }
    #expect(properties["a"]?.isComplete == true)
    #expect(properties["b"]?.isComplete == false)
    guard case .array(let elements) = properties["b"]?.kind else {
      Issue.record("An array is an array.")
      return
    }
    #expect(elements.map(\.isComplete) == [true, false])
  }

  @Test(arguments: [
    #"{"to": ["a\"b", -1.5e+3, null, true, {"x": {}}], "é\ud83d\ude00": "\u00e9 end"} "#,
    #"[[], [[{"deep": [false, 0]}]], "tail"]"#,
  ])
  func `reads as incomplete after every prefix, or throws, and grows`(text: String) throws {
    var read = 0
    for end in text.unicodeScalars.indices {
      let prefix = String(text.unicodeScalars[..<end])
      guard let content = try? GeneratedContent(json: prefix) else { continue }
      read += 1
      let isWhole = text.hasPrefix(prefix) && text.dropFirst(prefix.count) == " "
      #expect(content.isComplete == isWhole, "\(prefix)")
    }
    // Everything after the first byte is the beginning of some value.
    #expect(read == text.unicodeScalars.count - 1)
  }
}
