import ArgumentParser

/// A path that somebody gives to an option.
enum GivenPath {
  /// - Throws: `ValidationError` for an empty one, which would be this folder: mostly it comes from a
  ///   variable that is not set.
  static func read(_ text: String) throws -> String {
    guard !text.isEmpty else {
      throw ValidationError("The path is empty. Write a path, or omit the option.")
    }
    return text
  }
}
