import AgentKit

/// The grammar of numbers, in llama.cpp's notation.
///
/// A number has at most 40 digits before the decimal point and 40 after it, which is more than any
/// type of number holds: where a grammar cuts a number short, the model has written another one
/// without knowing. A bounded number has no exponent.
enum NumberGrammar {
  private static let mostDigits = 40

  /// Returns a grammar that llama.cpp made, with enough digits for all numbers, and with the grammar
  /// of a bounded number in place of each mark.
  static func exact(_ grammar: String) -> String {
    // A mark is a text in a constant list of the schema, and thus a quoted text within the
    // grammar's own quotes.
    let isMarked = grammar.contains(#""[\"<"#)
    let marked =
      !isMarked
      ? grammar
      : grammar.replacing(/"\[\\"(<(?:integer|number) [^>]*>)\\"\]"/) { match in
        NumberBounds(mark: match.output.1).map(expression) ?? String(match.output.0)
      }
    // llama.cpp's own numbers have 16 digits.
    return marked.split(separator: "\n", omittingEmptySubsequences: false).map { rule in
      switch rule {
      case "integral-part ::= [0] | [1-9] [0-9]{0,15}":
        "integral-part ::= [0] | [1-9] [0-9]{0,\(mostDigits - 1)}"
      case "decimal-part ::= [0-9]{1,16}": "decimal-part ::= [0-9]{1,\(mostDigits)}"
      default: String(rule)
      }
    }.joined(separator: "\n")
  }

  static func expression(_ bounds: NumberBounds) -> String {
    let isNegative = (bounds.minimum?.isNegative, bounds.maximum?.isNegative)
    // A bound with too many digits to be written bounds nothing.
    let minimum = bounds.minimum.flatMap { Digits($0) }
    let maximum = bounds.maximum.flatMap { Digits($0) }
    let zero = Digits(whole: [0], fraction: [])
    var choices: [String] = []
    if isNegative.0 ?? true {
      let nearest = bounds.isWhole ? Digits(whole: [1], fraction: []) : zero
      let least = (isNegative.1 ?? false ? maximum : nil) ?? nearest
      choices.append("\"-\" (\(magnitudes(from: least, to: minimum, isWhole: bounds.isWhole)))")
    }
    if !(isNegative.1 ?? false) {
      let least = (isNegative.0 ?? true ? nil : minimum) ?? zero
      choices.append(magnitudes(from: least, to: maximum, isWhole: bounds.isWhole))
    }
    return "(\(choices.joined(separator: " | ")))"
  }

  /// The digits of a number without its sign.
  private struct Digits {
    let whole: [Int]
    /// The digits without trailing zeros.
    let fraction: [Int]

    init(whole: [Int], fraction: [Int]) {
      self.whole = whole
      self.fraction = fraction
    }

    init?(_ number: JSONNumber) {
      guard let (whole, fraction) = number.places(limit: mostDigits) else { return nil }
      self.init(whole: whole, fraction: fraction)
    }
  }

  private static func magnitudes(from least: Digits, to most: Digits?, isWhole: Bool) -> String {
    guard isWhole else { return magnitudes(from: least, to: most) }
    guard let most else { return "\(text(least.whole)) | \(wholes(above: least.whole))" }
    return wholes(from: least.whole, to: most.whole) ?? text(least.whole)
  }

  private static func magnitudes(from least: Digits, to most: Digits?) -> String {
    guard let most else {
      return "\(text(least.whole)) \(fraction(atLeast: least.fraction))"
        + " | (\(wholes(above: least.whole))) \(anyFraction)"
    }
    if least.whole == most.whole {
      return "\(text(least.whole)) \(fraction(from: least.fraction, to: most.fraction))"
    }
    var choices = ["\(text(least.whole)) \(fraction(atLeast: least.fraction))"]
    if let between = wholes(from: successor(least.whole), to: predecessor(most.whole)) {
      choices.append("(\(between)) \(anyFraction)")
    }
    choices.append("\(text(most.whole)) \(fraction(atMost: most.fraction))")
    return choices.joined(separator: " | ")
  }
}

// MARK: Before the decimal point

extension NumberGrammar {
  private static func text(_ digits: [Int]) -> String {
    "\"\(digits.map(String.init).joined())\""
  }

  private static func digit(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "[\(range.lowerBound)]" : "[\(range.lowerBound)-\(range.upperBound)]"
  }

  private static func successor(_ digits: [Int]) -> [Int] {
    guard let index = digits.lastIndex(where: { $0 < 9 }) else {
      return [1] + digits.map { _ in 0 }
    }
    return digits[..<index] + [digits[index] + 1] + digits[(index + 1)...].map { _ in 0 }
  }

  /// Returns the previous number; empty for zero.
  private static func predecessor(_ digits: [Int]) -> [Int] {
    guard let index = digits.lastIndex(where: { $0 > 0 }) else { return [] }
    let result = digits[..<index] + [digits[index] - 1] + digits[(index + 1)...].map { _ in 9 }
    return result.count > 1 && result[0] == 0 ? Array(result.dropFirst()) : Array(result)
  }

  private static func wholes(above digits: [Int]) -> String {
    let next = successor(digits)
    let longer = "[1-9] [0-9]{\(next.count),\(mostDigits - 1)}"
    let same = wholes(from: next, to: next.map { _ in 9 })
    guard next.count < mostDigits else { return same ?? longer }
    return [same, longer].compactMap(\.self).joined(separator: " | ")
  }

  /// Returns the grammar of whole numbers in a closed range; `nil` when it is empty.
  private static func wholes(from least: [Int], to most: [Int]) -> String? {
    guard least.count <= most.count, !most.isEmpty else { return nil }
    guard least.count == most.count else {
      let longer = [1] + least.map { _ in 0 }
      return [wholes(from: least, to: least.map { _ in 9 }), wholes(from: longer, to: most)]
        .compactMap(\.self).joined(separator: " | ")
    }
    guard !least.lexicographicallyPrecedes(most) else { return span(least[...], most[...]) }
    return least == most ? text(least) : nil
  }

  /// Returns the grammar of digit strings of one length in a closed range.
  private static func span(_ least: ArraySlice<Int>, _ most: ArraySlice<Int>) -> String {
    guard let low = least.first, let high = most.first else { return "\"\"" }
    if least.count == 1 { return digit(low...high) }
    let (lowRest, highRest) = (least.dropFirst(), most.dropFirst())
    // After the digits between these two, everything may follow.
    let first = lowRest.allSatisfy { $0 == 0 } ? low : low + 1
    let last = highRest.allSatisfy { $0 == 9 } ? high : high - 1
    if low == high, first > last { return "\(digit(low...low)) (\(span(lowRest, highRest)))" }
    let (zeros, nines) = (lowRest.map { _ in 0 }[...], lowRest.map { _ in 9 }[...])
    var choices: [String] = []
    if low < first { choices.append("\(digit(low...low)) (\(span(lowRest, nines)))") }
    if first <= last { choices.append("\(digit(first...last)) [0-9]{\(lowRest.count)}") }
    if last < high { choices.append("\(digit(high...high)) (\(span(zeros, highRest)))") }
    return choices.joined(separator: " | ")
  }
}

// MARK: After the decimal point

extension NumberGrammar {
  private static let anyFraction = "(\".\" [0-9]{1,\(mostDigits)})?"
  private static let anyDigits = "[0-9]{0,\(mostDigits - 1)}"
  private static let zeros = "[0]{0,\(mostDigits - 1)}"

  private static func fraction(atLeast digits: [Int]) -> String {
    digits.isEmpty ? anyFraction : "\".\" (\(tail(atLeast: digits[...])))"
  }

  private static func fraction(atMost digits: [Int]) -> String {
    digits.isEmpty ? "(\".\" [0]{1,\(mostDigits)})?" : "(\".\" (\(tail(atMost: digits[...]))))?"
  }

  private static func fraction(from least: [Int], to most: [Int]) -> String {
    least.isEmpty ? fraction(atMost: most) : "\".\" (\(tail(from: least[...], to: most[...])))"
  }

  // The digits compared with end in a nonzero digit, so a fraction that ends before them is
  // smaller.

  private static func tail(atLeast digits: ArraySlice<Int>) -> String {
    guard let first = digits.first else { return anyDigits }
    var choices: [String] = []
    if first < 9 { choices.append("\(digit(first + 1...9)) \(anyDigits)") }
    choices.append("\(digit(first...first)) (\(tail(atLeast: digits.dropFirst())))")
    return choices.joined(separator: " | ")
  }

  private static func tail(atMost digits: ArraySlice<Int>) -> String {
    guard let first = digits.first else { return zeros }
    var choices: [String] = []
    if first > 0 { choices.append("\(digit(0...first - 1)) \(anyDigits)") }
    choices.append("\(digit(first...first)) (\(tail(atMost: digits.dropFirst())))?")
    return choices.joined(separator: " | ")
  }

  private static func tail(from least: ArraySlice<Int>, to most: ArraySlice<Int>) -> String {
    guard let low = least.first else { return "(\(tail(atMost: most)))?" }
    guard let high = most.first else { return zeros }
    let (lowRest, highRest) = (least.dropFirst(), most.dropFirst())
    if low == high { return "\(digit(low...low)) (\(tail(from: lowRest, to: highRest)))" }
    var choices = ["\(digit(low...low)) (\(tail(atLeast: lowRest)))"]
    if high - low > 1 { choices.append("\(digit(low + 1...high - 1)) \(anyDigits)") }
    choices.append("\(digit(high...high)) (\(tail(atMost: highRest)))?")
    return choices.joined(separator: " | ")
  }
}
