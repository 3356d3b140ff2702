import AgentKit
import Foundation
import TestSupport
import Testing

@testable import Llama

@Suite struct `The grammar of a bounded number` {
  /// Converts the grammar, whose classes, groups and repetitions are those of a regex.
  private func regex(_ bounds: NumberBounds) throws -> NSRegularExpression {
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
    return try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
  }

  private func bounds(
    _ minimum: String?,
    _ maximum: String?,
    isWhole: Bool = false
  ) -> NumberBounds {
    NumberBounds(
      isWhole: isWhole,
      minimum: minimum.map { JSONNumber(written: $0) },
      maximum: maximum.map { JSONNumber(written: $0) }
    )
  }

  @Test(arguments: ["1e400", "1.7976931348623157e+308", "1e41"])
  func `has no bound where that has too many digits`(bound: String) throws {
    let above = try regex(bounds("0", bound))
    #expect(above.wholeMatch(in: "12345.5") != nil)
    #expect(above.wholeMatch(in: "-1") == nil)
    let below = try regex(bounds("-\(bound)", "0"))
    #expect(below.wholeMatch(in: "-12345.5") != nil)
    #expect(below.wholeMatch(in: "1") == nil)
  }

  @Test(arguments: [
    (0.5, 10.0), (0, 1), (-1, 1), (-2.5, -0.25), (1.25, 1.75), (99.5, 1000), (0, 0), (-0.001, 0.05),
    (3, 3.14159), (0.1, 0.11), (7, 123456), (-1000.75, 12.5), (0.05, 0.5), (9.99, 10.01),
  ])
  func `allows what is within them, and nothing else`(minimum: Double, maximum: Double) throws {
    let regex = try regex(bounds("\(minimum)", "\(maximum)"))
    var generator = Seeded(7)
    let width = max(maximum - minimum, 0.01)
    var allowed = 0
    for _ in 0..<400 {
      let value = Double.random(in: minimum - width...maximum + width, using: &generator)
      for text in ["%.0f", "%.1f", "%.2f", "%.5f"].map({ String(format: $0, value) }) {
        // Zero is written without a sign.
        guard let number = Double(text), number != 0 || number.sign == .plus else { continue }
        let isWithin = (minimum...maximum).contains(number)
        #expect((regex.wholeMatch(in: text) != nil) == isWithin, "\(text)")
        allowed += isWithin ? 1 : 0
      }
    }
    #expect(allowed > 0)
    for bound in [minimum, maximum] {
      let text = Decimal(string: "\(bound)")?.description ?? ""
      #expect(regex.wholeMatch(in: text) != nil, "\(text)")
    }
  }

  @Test func `may be open at one end`() throws {
    let above = try regex(bounds("2.5", nil))
    let below = try regex(bounds(nil, "-2.5"))
    for (text, isAbove) in [
      ("2.5", true), ("2.49", false), ("3", true), ("123456789", true), ("-3", false), ("0", false),
    ] {
      #expect((above.wholeMatch(in: text) != nil) == isAbove, "\(text)")
    }
    for (text, isBelow) in [
      ("-2.5", true), ("-2.49", false), ("-3", true), ("-10.5", true), ("3", false), ("0", false),
    ] {
      #expect((below.wholeMatch(in: text) != nil) == isBelow, "\(text)")
    }
  }

  @Test(arguments: ["number", "integer"])
  func `takes the place of its mark`(kind: String) {
    let grammar = #"root ::= "{" x "}"\#nx ::= "[\"<\#(kind) 0 1>\"]""#
    let replaced = NumberGrammar.exact(grammar)
    #expect(!replaced.contains(kind))
    #expect(replaced.hasPrefix(#"root ::= "{" x "}"\#nx ::= ("#))
  }

  @Test(arguments: [
    (Int.min, Int.max), (0, .max), (.max - 9, .max), (.min, .min + 9), (-7, 123_456), (1, 9),
    (9_007_199_254_740_993, 9_007_199_254_740_993), (-100, -10), (0, 0), (-1, 1),
  ])
  func `of an integer allows the integers within its bounds, and nothing else`(
    least: Int,
    most: Int
  ) throws {
    let regex = try regex(bounds("\(least)", "\(most)", isWhole: true))
    var generator = Seeded(7)
    let near = [least, most].flatMap { end in
      (-3...3).compactMap { step in
        let sum = end.addingReportingOverflow(step)
        return sum.overflow ? nil : sum.partialValue
      }
    }
    for number in near + (0..<50).map({ _ in Int.random(in: least...most, using: &generator) }) {
      let isWithin = (least...most).contains(number)
      #expect((regex.wholeMatch(in: "\(number)") != nil) == isWithin, "\(number)")
      #expect(regex.wholeMatch(in: "\(number).0") == nil)
    }
    #expect(regex.wholeMatch(in: "9223372036854775808") == nil)
    #expect(regex.wholeMatch(in: "-9223372036854775809") == nil)
  }

  @Test func `of an integer may be open at one end, with digits to spare`() throws {
    let above = try regex(bounds("12", nil, isWhole: true))
    let below = try regex(bounds(nil, "-12", isWhole: true))
    for (text, isAbove) in [
      ("12", true), ("11", false), ("123456789012345678901", true), ("-13", false), ("12.5", false),
    ] {
      #expect((above.wholeMatch(in: text) != nil) == isAbove, "\(text)")
    }
    for (text, isBelow) in [("-12", true), ("-11", false), ("-12345678901234567890", true)] {
      #expect((below.wholeMatch(in: text) != nil) == isBelow, "\(text)")
    }
  }

  @Test func `keeps all digits of a bound`() throws {
    let digits = "1234567890123456789012345.6789012345678"
    let only = try regex(bounds(digits, digits))
    #expect(only.wholeMatch(in: digits) != nil)
    #expect(only.wholeMatch(in: digits.dropLast() + "9") == nil)
  }

  @Test func `has room for more digits than any type where there are no bounds`() throws {
    let long = String(repeating: "7", count: 40)
    let templates = try Fixture.model().templates
    var request = RenderingRequest(messages: #"[{"role":"user","content":"x"}]"#)
    for type in ["integer", "number"] {
      request.schema = #"{"type":"object","properties":{"a":{"type":"\#(type)"}},"required":["a"]}"#
      let grammar = try templates.render(request).grammar
      let rules = grammar.split(separator: "\n").filter { $0.contains("-part ::= ") }
      #expect(rules.count == (type == "integer" ? 1 : 2))
      for rule in rules {
        let pattern = rule.drop { $0 != "[" }.filter { $0 != " " }
        #expect(
          try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z").wholeMatch(in: long) != nil,
          "\(rule)"
        )
      }
    }
  }
}

extension NSRegularExpression {
  fileprivate func wholeMatch(in text: some StringProtocol) -> NSTextCheckingResult? {
    let text = String(text)
    return firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
  }
}
