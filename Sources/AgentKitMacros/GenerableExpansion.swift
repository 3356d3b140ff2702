/// The source that one shape of `@Generable` type expands to.
protocol GenerableExpansion {
  /// Declarations for the type's body.
  var members: [String] { get }
  /// `init(_:)` and `generatedContent`, which go into an extension.
  var conversions: [String] { get }
}

extension GenerableExpansion {
  /// The initializer from generated content around its body.
  func initializer(access: String, _ body: String) -> String {
    """
    \(access)nonisolated init(_ content: GeneratedContent) throws {
    \(body)
    }
    """
  }

  /// The generated content around its body.
  func generatedContent(access: String, _ body: String) -> String {
    """
    \(access)nonisolated var generatedContent: GeneratedContent {
    \(body)
    }
    """
  }
}
