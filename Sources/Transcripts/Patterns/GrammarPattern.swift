import Synchronization

/// A regular expression in the limited terms of llama.cpp's grammars, for strings inside JSON.
///
/// The text between the quotes of a JSON string is not the string itself: quotes, backslashes and
/// control characters are escaped.
///
/// The whole string must match, so what a repetition tries first, as in `a*?`, does not matter: any
/// way to match will do. Case is ignored, and classes have their characters, as in Swift's own
/// matching of Unicode scalars, where digits are those of ASCII.
struct GrammarPattern: Sendable {
  /// The pattern as people, models and servers read it.
  ///
  /// Here classes that Unicode gives many characters have their name, or their characters in ASCII;
  /// and those that a negation allows do not include any that JSON escapes.
  let text: String
  /// The pattern that holds a local model to all that matches, and to nothing else.
  let grammar: String
  private let term: PatternTerm

  private static let cache = Mutex<[String: Result<GrammarPattern, UnenforceableConstraint>]>([:])

  /// Returns the terms for a pattern in Swift's syntax.
  ///
  /// A schema is rendered several times for each request, so this remembers.
  static func of(_ pattern: String) throws(UnenforceableConstraint) -> GrammarPattern {
    if let known = cache.withLock({ $0[pattern] }) { return try known.get() }
    let new = Result { () throws(UnenforceableConstraint) in try GrammarPattern(pattern) }
    cache.withLock {
      if $0.count >= 256 { $0 = [:] }
      $0[pattern] = new
    }
    return try new.get()
  }

  init(_ pattern: String) throws(UnenforceableConstraint) {
    do throws(PatternTerm.Refusal) {
      term = try PatternTerm(Self.node(of: pattern))
      text = term.text(\.shown)
      grammar = term.text(\.grammar)
      guard grammar.utf8.count <= Self.mostBytes else {
        throw PatternTerm.Refusal(what: "the size of its character classes")
      }
    } catch {
      throw UnenforceableConstraint(
        problem: "The pattern '\(pattern)' cannot be enforced because of \(error.what)."
      )
    }
  }

  /// Whether the pattern matches a whole text, just as the grammar would have it.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    return term.ends(in: scalars, from: [0]).contains(scalars.count)
  }

  /// What llama.cpp reads in a few milliseconds.
  private static let mostBytes = 200_000

  private static func node(of pattern: String) throws(PatternTerm.Refusal) -> RegexNode {
    guard let regex = try? Regex(pattern) else {
      throw PatternTerm.Refusal(what: "its syntax, which Swift's Regex does not know")
    }
    do throws(RegexReader.Unreadable) {
      return try RegexReader.node(regex)
    } catch {
      throw PatternTerm.Refusal(what: error.construct)
    }
  }
}
