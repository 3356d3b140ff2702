/// A regular expression in the limited terms of llama.cpp's grammars, for strings inside JSON.
///
/// The text between the quotes of a JSON string is not the string itself: quotes, backslashes and
/// control characters are escaped. So `.` and negated classes exclude these characters, and where
/// the author names them, their escapes are used instead.
struct GrammarPattern {
  private(set) var text = ""

  private let source: [Unicode.Scalar]
  private var index = 0

  init(_ pattern: String) throws(UnenforceableConstraint) {
    source = Array(pattern.unicodeScalars)
    text = try alternatives()
    guard index == source.count else { throw unsupported("the unbalanced ')'") }
  }

  private mutating func alternatives() throws(UnenforceableConstraint) -> String {
    var choices = [""]
    while let next = peek, next != ")" {
      if next == "|" {
        index += 1
        choices.append("")
      } else {
        choices[choices.count - 1] += try quantified()
      }
    }
    return choices.joined(separator: "|")
  }

  private mutating func quantified() throws(UnenforceableConstraint) -> String {
    let atom = try atom()
    guard let next = peek, ["*", "+", "?", "{"].contains(next) else { return atom }
    guard !atom.isEmpty else { throw unsupported("a repetition of nothing") }
    index += 1
    var count = String(next)
    if next == "{" {
      while let digit = take() {
        count.unicodeScalars.append(digit)
        if digit == "}" { break }
      }
      guard count.hasSuffix("}"), count.dropFirst().dropLast().allSatisfy(\.isCount) else {
        throw unsupported("'\(count)'")
      }
    }
    // Greediness does not affect which texts match as a whole.
    if let kind = peek, kind == "?" || kind == "+" { index += 1 }
    return Self.repeatable(atom) + count
  }

  /// Returns an atom in the form in which a repetition applies to it as a whole, and to nothing
  /// else.
  ///
  /// llama.cpp repeats an escaped character with the letter before it, and of a character of
  /// several bytes only the last one.
  private static func repeatable(_ atom: String) -> String {
    let isOne = atom.utf8.count == 1 || atom.hasPrefix("(") || atom.hasPrefix("[")
    return isOne ? atom : "(\(atom))"
  }

  private mutating func atom() throws(UnenforceableConstraint) -> String {
    let start = index
    guard let next = take() else { return "" }
    switch next {
    case ".": return ScalarSet.allButLineEnds.pattern
    case "(": return try group()
    case "[": return try set().pattern
    case "\\": return try escape().pattern
    case "^":
      guard start == 0 else { throw unsupported("'^' in the middle") }
      return ""
    case "$":
      guard index == source.count else { throw unsupported("'$' in the middle") }
      return ""
    case "*", "+", "?", "{": throw unsupported("a repetition of nothing")
    default: return ScalarSet(next).pattern
    }
  }

  private mutating func group() throws(UnenforceableConstraint) -> String {
    if peek == "?" {
      index += 1
      switch take() {
      case ":": break
      case "<" where peek != "=" && peek != "!":
        while let letter = take(), letter != ">" {}
      default: throw unsupported("a group with '?'")
      }
    }
    let inner = try alternatives()
    guard take() == ")" else { throw unsupported("the unbalanced '('") }
    return "(\(inner))"
  }

  private mutating func set() throws(UnenforceableConstraint) -> ScalarSet {
    var set = ScalarSet()
    let isNegated = peek == "^"
    if isNegated { index += 1 }
    var isFirst = true
    while let next = take() {
      if next == "]", !isFirst { return isNegated ? set.inverted : set }
      isFirst = false
      if next == "[" || (next == "&" && peek == "&") { throw unsupported("a set in a set") }
      let lower = next == "\\" ? try escape() : ScalarSet(next)
      guard peek == "-", index + 1 < source.count, source[index + 1] != "]",
        let first = lower.only
      else {
        set.formUnion(lower)
        continue
      }
      index += 1
      guard let end = take() else { break }
      let upper = end == "\\" ? try escape() : ScalarSet(end)
      guard let last = upper.only, first <= last else { throw unsupported("such a range") }
      set.formUnion(ScalarSet(first...last))
    }
    throw unsupported("the unbalanced '['")
  }

  private mutating func escape() throws(UnenforceableConstraint) -> ScalarSet {
    guard let next = take() else { throw unsupported("a backslash at the end") }
    switch next {
    case "d": return .digits
    case "D": return .digits.inverted
    case "w": return .wordCharacters
    case "W": return .wordCharacters.inverted
    case "s": return .whiteSpace
    case "S": return .whiteSpace.inverted
    case "n": return ScalarSet("\n")
    case "r": return ScalarSet("\r")
    case "t": return ScalarSet("\t")
    case "x": return try scalar(digits: 2)
    case "u": return try scalar(digits: 4)
    default:
      guard !next.properties.isAlphabetic, next.properties.numericType == nil else {
        throw unsupported("'\\\(next)'")
      }
      return ScalarSet(next)
    }
  }

  private mutating func scalar(digits: Int) throws(UnenforceableConstraint) -> ScalarSet {
    var text = ""
    if peek == "{" {
      index += 1
      while let digit = take(), digit != "}" { text.unicodeScalars.append(digit) }
    } else {
      for _ in 0..<digits {
        if let digit = take() { text.unicodeScalars.append(digit) }
      }
    }
    guard let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else {
      throw unsupported("such a code")
    }
    return ScalarSet(scalar)
  }

  private var peek: Unicode.Scalar? { index < source.count ? source[index] : nil }

  private mutating func take() -> Unicode.Scalar? {
    guard let next = peek else { return nil }
    index += 1
    return next
  }

  private func unsupported(_ what: String) -> UnenforceableConstraint {
    let pattern = String(String.UnicodeScalarView(source))
    return UnenforceableConstraint(
      problem: "The pattern '\(pattern)' cannot be enforced because of \(what)."
    )
  }
}

extension Character {
  fileprivate var isCount: Bool { ("0"..."9").contains(self) || self == "," }
}
