/// The source to which one shape of `@Generable` type expands.
protocol GenerableExpansion {
  /// The declarations for the type's body.
  var members: [String] { get }
  /// `init(_:)` and `generatedContent`, which go into an extension.
  var conversions: [String] { get }
}

extension GenerableExpansion {
  /// Returns the initializer from generated content with the given body.
  func initializer(access: String, _ body: String) -> String {
    """
    \(access)nonisolated init(_ content: GeneratedContent) throws {
    \(body)
    }
    """
  }

  /// Returns the `generatedContent` property with the given body.
  func generatedContent(access: String, _ body: String) -> String {
    """
    \(access)nonisolated var generatedContent: GeneratedContent {
    \(body)
    }
    """
  }
}
