/// What an agent may be called: its name becomes that of folders and files.
enum AgentName {
  static let maximumBytes = 64

  /// What is wrong with a name, and what to do; `nil` when nothing is.
  static func problem(with name: String) -> String? {
    let isSafe =
      !name.isEmpty && name.utf8.count <= maximumBytes && name.unicodeScalars.first != "-"
      && name.unicodeScalars.allSatisfy(isAllowed)
    guard !isSafe else { return nil }
    return "Its name \(shown(name)) cannot be used for a folder. Give it a 'name' of letters,"
      + " digits, '_' and '-' that does not begin with '-' and has at most \(maximumBytes) bytes."
  }

  // Scalars and not characters: some letters take a slash that follows them into one character.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      true
    default: scalar == "_" || scalar == "-"
    }
  }

  /// An agent's code wrote it: no more of it than can be read, and nothing that moves a cursor.
  private static func shown(_ name: String) -> String {
    let start = String(name.unicodeScalars.prefix(maximumBytes))
    return start.debugDescription + (start.utf8.count < name.utf8.count ? "…" : "")
  }
}
