import ArgumentParser

/// A path that somebody gives to an option.
enum GivenPath {
  /// - Throws: `ValidationError` for an empty one, which would be this folder: mostly it comes from a
  ///   variable that is not set.
  static func read(_ text: String) throws -> String {
    guard !text.isEmpty else {
      throw ValidationError("It names nothing. Write a path, or leave the option away.")
    }
    return text
  }
}
