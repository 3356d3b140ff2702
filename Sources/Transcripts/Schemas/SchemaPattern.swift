/// A pattern of JSON Schema, in terms that a grammar can have.
///
/// Such a pattern is ECMAScript's: it matches anywhere in a text unless it has anchors, and `\w`
/// means characters of ASCII.
struct SchemaPattern {
  /// The pattern in Swift's syntax, if it is about whole texts.
  ///
  /// A grammar for what may stand around another pattern would be shown to the model, too, and
  /// would keep it from writing quotes and line ends.
  let whole: String?
  private let terms: GrammarPattern

  /// Reads a pattern; `nil` if it is not one that can be enforced or checked in bounded time.
  init?(_ pattern: String) {
    var reader = Reader(pattern)
    guard pattern.utf8.count <= Self.mostBytes, let read = reader.read(),
      reader.repetitions <= Self.mostRepetitions,
      let terms = try? GrammarPattern.of(read.before + read.body + read.after)
    else { return nil }
    whole = read.before.isEmpty && read.after.isEmpty ? read.body : nil
    self.terms = terms
  }

  /// Returns whether the pattern matches a text; `nil` for a long text, for which that may take a
  /// time that grows with the square of its length.
  func matches(_ text: String) -> Bool? {
    text.unicodeScalars.count <= Self.mostScalars ? terms.matches(text) : nil
  }

  /// Any text, line ends included.
  private static let any = #"[\s\S]*"#
  private static let mostBytes = 500
  private static let mostScalars = 1000
  /// llama.cpp has no more than 2,000 rules for repetitions in one place.
  private static let mostRepetitions = 1000

  /// A translator from the syntax of ECMAScript.
  private struct Reader {
    private var rest: Substring.UnicodeScalarView
    private var body = ""
    private var isInClass = false
    private var depth = 0
    private var hasAlternatives = false
    private(set) var repetitions = 0

    init(_ pattern: String) {
      rest = pattern[...].unicodeScalars
    }

    mutating func read() -> (before: String, body: String, after: String)? {
      let hasStart = rest.first == "^"
      if hasStart { rest.removeFirst() }
      var hasEnd = false
      while let next = rest.popFirst() {
        switch next {
        case "\\":
          guard let escape = rest.popFirst(), append(escape: escape) else { return nil }
        case "[" where isInClass, "&" where isInClass, "~" where isInClass:
          // In a class these have a meaning for Swift only.
          body += "\\\(next)"
        case "[":
          isInClass = true
          body += "["
        case "]" where isInClass:
          isInClass = false
          body += "]"
        case _ where isInClass: body.unicodeScalars.append(next)
        case "^": return nil
        case "$":
          guard rest.isEmpty else { return nil }
          hasEnd = true
        case "{":
          let numbers = String(String.UnicodeScalarView(rest.prefix { $0 != "}" })).split(
            separator: ","
          )
          repetitions += numbers.compactMap { Int($0) }.max() ?? 0
          body += "{"
        default:
          if next == "(" { depth += 1 }
          if next == ")" { depth -= 1 }
          if next == "|", depth == 0 { hasAlternatives = true }
          body.unicodeScalars.append(next)
        }
      }
      // An anchor belongs to one of the alternatives.
      guard !isInClass, depth == 0, !hasAlternatives || !(hasStart || hasEnd) else { return nil }
      let isWhole = hasStart && hasEnd
      return (hasStart ? "" : any, isWhole ? body : "(?:\(body))", hasEnd ? "" : any)
    }

    private mutating func append(escape: Unicode.Scalar) -> Bool {
      switch escape {
      case "w": body += isInClass ? "A-Za-z0-9_" : "[A-Za-z0-9_]"
      case "W" where !isInClass: body += "[^A-Za-z0-9_]"
      case "W", "b", "B": return false
      case "/": body += "/"
      default: body += "\\\(escape)"
      }
      return true
    }
  }
}
