/// The rules for the name of an agent, which becomes that of folders and files.
enum AgentName {
  static let maximumBytes = 64

  /// Returns what is wrong with a name, with a remedy; `nil` if nothing is.
  static func problem(with name: String) -> String? {
    let isSafe =
      !name.isEmpty && name.utf8.count <= maximumBytes && name.unicodeScalars.first != "-"
      && name.unicodeScalars.allSatisfy(isAllowed)
    guard !isSafe else { return nil }
    return "Its name \(shown(name)) cannot be used for a folder. Give it a 'name' of letters,"
      + " digits, '_' and '-' that does not begin with '-' and has at most \(maximumBytes) bytes."
  }

  // Scalars rather than characters: some letters combine with a following slash into one character.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      true
    default: scalar == "_" || scalar == "-"
    }
  }

  /// Returns a readable excerpt of a name, which an agent's code chose, with no control characters.
  private static func shown(_ name: String) -> String {
    let start = String(name.unicodeScalars.prefix(maximumBytes))
    return start.debugDescription + (start.utf8.count < name.utf8.count ? "…" : "")
  }
}
