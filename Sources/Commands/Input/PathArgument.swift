import ArgumentParser

enum PathArgument {
  /// Parses a path.
  /// - Throws: `ValidationError` for an empty path, which would mean the current folder and usually
  ///   comes from an unset variable.
  static func read(_ text: String) throws -> String {
    guard !text.isEmpty else {
      throw ValidationError("The path is empty. Write a path, or omit the option.")
    }
    return text
  }
}
