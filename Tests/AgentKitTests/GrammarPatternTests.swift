import Testing

@testable import AgentKit

@Suite struct `A pattern for a grammar` {
  @Test(arguments: [
    ("[0-9]+", "[0-9]+"), (#"\d{3}-\d{4}"#, "[0-9]{3}-[0-9]{4}"), (#"\w+"#, "[0-9A-Z_a-z]+"),
    ("cat|dog", "cat|dog"), ("(?:a|b)c*", "(a|b)c*"), ("(?<year>[0-9]{4})", "([0-9]{4})"),
    ("a+?b*+c??", "a+b*c?"), (#"3\.5"#, #"3\.5"#), (#"\$\(x\)"#, #"\$\(x\)"#),
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
    #"\bword\b"#, #"(a)\1"#, "(?=a)b", "(?!a)b", "(?<=a)b", "(?i)a", "a^b", "a$b", "(a", "a)", "[a",
    "*a", #"\p{L}"#, "a{x}", "[[a]]", "[z-a]", #"a\"#,
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
