import RegexBuilder
import Testing

@testable import Transcripts

/// A pattern's grammar and Swift's own matching accept the same texts.
@Suite(.timeLimit(.minutes(5))) struct `The grammar of a pattern` {
  @Test(arguments: [
    "[0-9]+", #"\d{3}-\d{4}"#, #"\w+"#, "cat|dog", "(?:a|b)c*", "(?<year>[0-9]{4})", "a+?b*c??",
    ".{0,5}", "[^,]+", "^ab$", #"\s\S"#, #"\D\W"#, #"a\h*b"#, #"\v"#, #"\Hx"#, #"\R"#, #"a\Rb?"#,
    #"\bone two\b"#, #"\Aabc\z"#, "(?i)straße", "(?i)[k-m]{2}x", "(?i:k)S", "a(?i)b|c(?-i)d",
    "(?x) a b # remark", "(?s).", "a.c", #"\p{L}+"#, #"\P{L}{1,3}"#, #"\p{Lu}\p{Ll}*"#, #"\p{Nd}"#,
    #"\p{Script=Greek}+"#, #"\p{scx=Cyrl}"#, #"\p{Alpha}-\p{Upper}"#, #"\p{ASCII}{2}"#,
    "[[:digit:]]+", "[[:alpha:][:space:]]*", "[[:^alpha:]]", "[[:punct:]]", "[[:xdigit:]]{2}",
    #"[\w&&[^a-f]]"#, #"[\p{L}--[a-z]]"#, "[a-f~~d-h]", #"[\d.,]+"#, #"[^\d\s]"#, #"[^"\\]"#,
    #"\"[^"]*\""#, #"\Qa.b(\E"#, #"\u{1F600}|é|\x41"#, #"[\t\n\x01]"#, "(?D)\\d", #"(?W)\w+"#,
    #"(?P)[[:alpha:]]"#, #"(?S)\s"#, "(ab|c){2,3}", "(a?b){2,}", "((a|b)*c)?", "(|a)b", "a{,3}",
    "[a-z]+?[0-9]", #"(?i)\p{Lu}"#, "(?i)[^k]", #"[&&[a]]"#, "x{", "x]", "[-a]",
    "[a^-]",
  ])
  func `accepts what Swift matches, and nothing else`(pattern: String) throws {
    guard let regex = try? Regex(pattern) else { return }
    try PatternComparison.compare(regex, with: GrammarPattern(pattern), seed: 5)
    // What a guide keeps of it says the same.
    let kept = try RegexReader.node(regex).text
    #expect(try GrammarPattern(kept).grammar == GrammarPattern(pattern).grammar, "\(kept)")
  }

  @Test func `accepts what Swift matches of a regex that is written in code`() throws {
    let word = Reference(Substring.self)
    var parts: [Regex<AnyRegexOutput>] = []
    func add(_ regex: some RegexComponent) { parts.append(Regex<AnyRegexOutput>(regex.regex)) }
    add(
      Regex {
        Repeat(.digit, count: 3); "-"
      }
    )
    add(
      Regex {
        ChoiceOf {
          "x"; "y.z"
        }; OneOrMore(.word)
      }
    )
    add(
      Regex {
        "a";
        ChoiceOf {
          "b"; "c"
        }; "d"
      }
    )
    add(
      Regex {
        OneOrMore {
          ChoiceOf {
            "ab"; Repeat("c", 1...2)
          }
        }
      }
    )
    add(
      Regex {
        Optionally { Capture { /[a-z]{2}/ } }; One(.anyOf("ab\"c-]"))
      }
    )
    add(
      Regex {
        CharacterClass("a"..."f", .digit).subtracting(.anyOf("b3")); ZeroOrMore("qr")
      }
    )
    add(
      Regex {
        Capture(as: word) { OneOrMore(.hexDigit) }; "."
      }
    )
    add(
      Regex {
        Capture {
          OneOrMore(.digit)
        } transform: {
          $0.count
        }; "%"
      }
    )
    add(
      Regex {
        Anchor.startOfSubject; Anchor.wordBoundary; "a*"; Anchor.endOfLine
      }
    )
    add(
      Regex {
        /a|b/; ZeroOrMore(.reluctant) { "q" }; CharacterClass.whitespace
      }
    )
    add(
      Regex {
        CharacterClass.anyNonNewline; CharacterClass.newlineSequence
      }
    )
    add(
      Regex {
        CharacterClass.generalCategory(.lowercaseLetter); Repeat("b", 2...)
      }
    )
    add(
      Regex {
        "straße"; Optionally("é")
      }.ignoresCase()
    )
    add(/a.b/.dotMatchesNewlines())
    add(
      Regex {
        CharacterClass.anyOf("abc").inverted; "x" as Unicode.Scalar
      }
    )
    add(Regex { CharacterClass.word.intersection(.anyOf("ab-")).union("0"..."3") })
    add(
      Regex {
        /a(?i)b/
        "c"
      }
    )
    for (seed, regex) in parts.enumerated() {
      guard case .pattern(let pattern) = GenerationConstraint(regex) else {
        Issue.record("\(seed) cannot be read.")
        continue
      }
      try PatternComparison.compare(regex, with: GrammarPattern(pattern), seed: UInt64(seed))
    }
  }

  @Test func `is refused with its reason where code decides what matches`() throws {
    let word = Reference(Substring.self)
    let backward = Regex {
      Capture(as: word) { "a" }; word
    }
    let failing = Regex {
      TryCapture {
        OneOrMore(.digit)
      } transform: {
        Int($0)
      }
    }
    let made = Regex {
      "a"; Odd()
    }
    func reason(_ regex: some RegexComponent) -> String? {
      guard case .unwrittenPattern(let reason) = GenerationConstraint(regex.regex) else {
        return nil
      }
      return reason
    }
    #expect(reason(backward)?.contains("reference") == true)
    #expect(reason(failing)?.contains("closure") == true)
    #expect(reason(made)?.contains("code") == true)
    let schema = DynamicGenerationSchema(type: String.self, guides: [.pattern(failing)])
    let flaw = try GenerationSchema(root: schema, dependencies: []).flaw
    #expect(flaw?.contains("Write it as a literal") == true)
    for regex in [
      Regex {
        Lookahead { "z" }; "z"
      },
      Regex {
        Local { "a" }; "b"
      },
    ] {
      guard case .pattern(let pattern) = GenerationConstraint(regex) else { continue }
      #expect(throws: UnenforceableConstraint.self) { try GrammarPattern(pattern) }
    }
  }

  @Test(arguments: UInt64(1)...40)
  func `accepts what Swift matches of patterns made at random`(seed: UInt64) throws {
    var generator = Seeded(seed: seed)
    for _ in 0..<3 { _ = generator.next() }
    let pattern = PatternComparison.pattern(depth: 2, using: &generator)
    let regex = try Regex(pattern)
    try PatternComparison.compare(regex, with: GrammarPattern(pattern), seed: seed)
  }

  @Test(arguments: ["d", "w", "s", "h", "v", ".", "D", "W", "S", "H", "V"])
  func `has the classes of Swift`(letter: String) throws {
    let text = letter == "." ? "." : "\\\(letter)"
    let builtin = ScalarSet(
      [.builtin(try #require(letter.unicodeScalars.first))],
      isNegated: false,
      inASCII: false
    )
    let asked = try ScalarSet.matched(by: text, options: "")
    #expect(Self.isSame(builtin, asked), "\(text)")
  }

  @Test(arguments: ["S", "ß", "é", "Σ", "ǆ", "1", "İ"] as [Unicode.Scalar])
  func `ignores case as Swift does`(letter: Unicode.Scalar) throws {
    let asked = try ScalarSet.matched(by: String(letter), options: "i")
    #expect(Self.isSame(.caseVariants(of: letter), asked), "\(letter)")
  }

  /// Compares sets without regard to surrogates, which are no characters.
  private static func isSame(_ one: ScalarSet, _ other: ScalarSet) -> Bool {
    one.grammar == other.grammar
  }
}

/// A component that Swift code matches.
private struct Odd: CustomConsumingRegexComponent {
  typealias RegexOutput = Substring

  func consuming(
    _ input: String,
    startingAt index: String.Index,
    in bounds: Range<String.Index>
  ) throws -> (upperBound: String.Index, output: Substring)? {
    index < bounds.upperBound ? (input.index(after: index), input[index..<bounds.upperBound]) : nil
  }
}
