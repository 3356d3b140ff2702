/// A type that can be read from content that a model generated.
public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  /// Reads a value.
  /// - Throws: `GeneratedContent.ParsingError` when the content does not fit.
  init(_ content: GeneratedContent) throws
}

/// A type that can be represented as content, and so be shown to a model.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  /// The value as content.
  var generatedContent: GeneratedContent { get }
}

extension ConvertibleToGeneratedContent {
  /// The value as a model sees it in a prompt: text as it is, everything else as JSON.
  public var promptRepresentation: Prompt {
    Prompt(segments: [.text(Transcript.TextSegment(content: generatedContent.modelText))])
  }

  /// The value as a model sees it in its instructions: text as it is, everything else as JSON.
  public var instructionsRepresentation: Instructions {
    Instructions(segments: [.text(Transcript.TextSegment(content: generatedContent.modelText))])
  }
}

extension GeneratedContent {
  var modelText: String {
    if case .string(let text) = kind { text } else { jsonString }
  }
}

/// A type that a model can generate: it has a schema, and converts from and to content.
///
/// Written with the `@Generable` macro, which adds all requirements to a struct or an enum.
public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  /// What is known of a value while it streams.
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self

  /// What a model must generate.
  static var generationSchema: GenerationSchema { get }
}

extension Generable {
  /// The value as if it had just finished streaming.
  public func asPartiallyGenerated() -> PartiallyGenerated {
    do {
      return try PartiallyGenerated(generatedContent)
    } catch {
      // A partial value reads every prefix of its type's content, so also the whole of it.
      preconditionFailure("\(Self.self).PartiallyGenerated does not read its own content: \(error)")
    }
  }
}
