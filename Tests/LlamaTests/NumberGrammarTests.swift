import AgentKit
import Foundation
import Testing

@testable import Llama

@Suite struct `The grammar of a bounded number` {
  /// Converts the grammar, whose classes, groups and repetitions are those of a regex.
  private func regex(_ bounds: NumberBounds) throws -> Regex<AnyRegexOutput> {
    var pattern = ""
    var isQuoted = false
    for character in NumberGrammar.expression(bounds) {
      switch character {
      case "\"": isQuoted.toggle()
      case " " where !isQuoted: break
      case ".": pattern += "\\."
      default: pattern.append(character)
      }
    }
    return try Regex(pattern)
  }

  @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e17])
  func `has no bound where that has too many digits`(bound: Double) throws {
    let above = try regex(NumberBounds(minimum: 0, maximum: bound))
    #expect(try above.wholeMatch(in: "12345.5") != nil)
    #expect(try above.wholeMatch(in: "-1") == nil)
    let below = try regex(NumberBounds(minimum: -bound, maximum: 0))
    #expect(try below.wholeMatch(in: "-12345.5") != nil)
    #expect(try below.wholeMatch(in: "1") == nil)
  }

  @Test(arguments: [
    (0.5, 10.0), (0, 1), (-1, 1), (-2.5, -0.25), (1.25, 1.75), (99.5, 1000), (0, 0), (-0.001, 0.05),
    (3, 3.14159), (0.1, 0.11), (7, 123456), (-1000.75, 12.5), (0.05, 0.5), (9.99, 10.01),
  ])
  func `allows what is within them, and nothing else`(minimum: Double, maximum: Double) throws {
    let regex = try regex(NumberBounds(minimum: minimum, maximum: maximum))
    var generator = Seeded(seed: 7)
    let width = max(maximum - minimum, 0.01)
    var allowed = 0
    for _ in 0..<400 {
      let value = Double.random(in: minimum - width...maximum + width, using: &generator)
      for text in ["%.0f", "%.1f", "%.2f", "%.5f"].map({ String(format: $0, value) }) {
        // Zero is written without a sign.
        guard let number = Double(text), number != 0 || number.sign == .plus else { continue }
        let isWithin = (minimum...maximum).contains(number)
        #expect((try regex.wholeMatch(in: text) != nil) == isWithin, "\(text)")
        allowed += isWithin ? 1 : 0
      }
    }
    #expect(allowed > 0)
    for bound in [minimum, maximum] {
      let text = Decimal(string: "\(bound)")?.description ?? ""
      #expect(try regex.wholeMatch(in: text) != nil, "\(text)")
    }
  }

  @Test func `may be open at one end`() throws {
    let above = try regex(NumberBounds(minimum: 2.5, maximum: nil))
    let below = try regex(NumberBounds(minimum: nil, maximum: -2.5))
    for (text, isAbove) in [
      ("2.5", true), ("2.49", false), ("3", true), ("123456789", true), ("-3", false), ("0", false),
    ] {
      #expect((try above.wholeMatch(in: text) != nil) == isAbove, "\(text)")
    }
    for (text, isBelow) in [
      ("-2.5", true), ("-2.49", false), ("-3", true), ("-10.5", true), ("3", false), ("0", false),
    ] {
      #expect((try below.wholeMatch(in: text) != nil) == isBelow, "\(text)")
    }
  }

  @Test func `takes the place of its mark`() {
    let grammar = #"root ::= "{" x "}"\#nx ::= "[\"<number 0.0 1.0>\"]""#
    let replaced = NumberGrammar.replacingMarks(in: grammar)
    #expect(!replaced.contains("number"))
    #expect(replaced.hasPrefix(#"root ::= "{" x "}"\#nx ::= ("#))
  }
}
