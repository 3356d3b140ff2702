import Testing

@testable import Transcripts

@Suite struct `A pattern for a grammar` {
  @Test(arguments: [
    ("[0-9]+", "[0-9]+"), (#"\d{3}-\d{4}"#, "[0-9]{3}-[0-9]{4}"), (#"\w+"#, "[0-9A-Z_a-z]+"),
    ("cat|dog", "cat|dog"), ("(?:a|b)c*", "(a|b)c*"), ("(?<year>[0-9]{4})", "([0-9]{4})"),
    ("a+?b*c??", "a+b*c?"), (#"3\.5"#, #"3\.5"#), (#"\$\(x\)"#, #"\$\(x\)"#),
    (".", #"[^\x00-\x1F"\\\x7F]"#), ("[^,]", #"[^\x00-\x1F",\\\x7F]"#), ("^ab$", "ab"),
    ("[a-c-]", #"[\-a-c]"#), (#"[\[\]]"#, #"[\[\]]"#), (#"[\^x]"#, #"[\x5Ex]"#), ("é", "é"),
    (#"\x41\u{42}C"#, "ABC"), ("a{2,}", "a{2,}"), (#""a""#, #"(\\")a(\\")"#),
    (#"a\\b"#, #"a(\\\\)b"#), (#"[a"]"#, #"(a|\\")"#), (#"a\tb"#, #"a(\\t)b"#),
    (#"Dr\.? \d€*"#, #"Dr(\.)? [0-9](€)*"#), (#"a\"?\+{2}"#, #"a(\\")?(\+){2}"#),
  ])
  func `says the same in fewer terms`(pattern: String, text: String) throws {
    #expect(try GrammarPattern(pattern).text == text)
  }

  @Test(arguments: [
    (#"\bword\b"#, "word", "word"), ("(?i)a-b", "[Aa]-[Bb]", "[Aa]-[Bb]"),
    ("a(?i:b)c", "a([Bb])c", "a([Bb])c"),
    (#"[[:xdigit:]&&\p{ASCII}]"#, "[0-9A-Fa-f]", "[0-9A-Fa-f]"),
    (
      "(?s)x.", #"x[^\x00-\x1F"\\\x7F]"#,
      #"x([^\x00-\x1F"\\]|\\["\\nrtbf]|"#
        + #"\\u000[01234567BEFbef]|\\u001[0123456789ABCDEFabcdef])"#
    ),
    ("[a-f--[b-d]]", "[ae-f]", "[ae-f]"), (#"\Qa.b\E"#, #"a\.b"#, #"a\.b"#),
    ("(?x) a b # c", "ab", "ab"),
    (#"[^,\p{Any}--\n]"#, #"(\\n)"#, #"(\\n)"#), ("a*?b?", "a*b?", "a*b?"), ("(?:)*a", "a", "a"),
    ("x{", #"x\{"#, #"x\{"#), ("(a|^b)", "(a|b)", "(a|b)"), ("a{,3}", "a{0,3}", "a{0,3}"),
  ])
  func `says what matches, for readers and for the grammar`(
    pattern: String,
    text: String,
    grammar: String
  ) throws {
    let terms = try GrammarPattern(pattern)
    #expect(terms.text == text)
    #expect(terms.grammar == grammar)
  }

  @Test func `names a class that Unicode gives many characters, and lists it in the grammar`()
    throws
  {
    let terms = try GrammarPattern(#"\p{L}+"#)
    #expect(terms.text == #"\p{L}+"#)
    #expect(terms.grammar.hasPrefix("([A-Za-z]|["))
    #expect(terms.grammar.utf8.count < 10_000)
  }

  @Test(arguments: [
    #"(a)\1"#, "(?=a)b", "(?!a)b", "(?<=a)b", "a^b", "a$b", "(a", "a)", "[a", "*a", "[z-a]", #"a\"#,
    #"a\bc"#, #"\Ba"#, #"\X"#, "a*+b", "(a|ab)++", "(?>a|ab)c", "(^a)*", "(?X)a", #"\Gab"#,
    "[a--a]", #"(?-w)\ba"#,
  ])
  func `is refused when a grammar cannot say it`(pattern: String) {
    let error = #expect(throws: UnenforceableConstraint.self) { try GrammarPattern(pattern) }
    #expect(error?.problem.contains(pattern) == true)
  }

  @Test func `is what a regex literal says`() throws {
    struct Case {
      let guide: GenerationGuide<String>
      let pattern: String
    }
    for item in [
      Case(guide: .pattern(/[A-Z]{2}\d+/), pattern: "^([A-Z]{2}[0-9]+)$"),
      Case(guide: .pattern(#/https?:\/\/\S+/#), pattern: #"^(https?://[^\x00- "\\\x7F]+)$"#),
    ] {
      let schema = GenerationSchema(
        name: "S",
        shape: .object([.init(name: "x", type: String.self, guides: [item.guide])])
      )
      let property = try schema.jsonSchema
        .value(GeneratedContent.self, forProperty: "properties")
        .value(GeneratedContent.self, forProperty: "x")
      #expect(try property.value(String.self, forProperty: "pattern") == item.pattern)
      #expect(schema.flaw == nil)
    }
  }
}

@Suite struct `A set of characters` {
  @Test func `is inverted twice to itself`() {
    for set in [ScalarSet.digits, .wordCharacters, .whiteSpace, ScalarSet("x"), ScalarSet()] {
      for scalar in (0...0x100).compactMap({ Unicode.Scalar(UInt32($0)) }) {
        #expect(set.inverted.contains(scalar) != set.contains(scalar))
        #expect(set.inverted.inverted.contains(scalar) == set.contains(scalar))
      }
    }
  }

  @Test func `joins ranges that touch`() {
    var set = ScalarSet("a"..."c")
    set.formUnion(ScalarSet("d"..."f"))
    #expect(set.pattern == "[a-f]")
    #expect(set.subtracting(ScalarSet("b"..."e")).pattern == "[af]")
  }
}
