public import PlatformLibraries

// What the actions of FoundationModels carry. Like there, only the actions create them.

extension LanguageModelExecutorGenerationChannel {
  /// Text that is appended to a segment.
  public struct TextFragment: Sendable {
    /// The text.
    public var content: String
    /// The number of tokens from which the text was generated.
    public var tokenCount: Int
    /// The identity of the segment, or `nil` for the last one.
    public var segmentID: String?
  }

  /// Text that replaces that of a segment.
  public struct TextSegmentReplacement: Sendable {
    /// The text.
    public var content: String
    /// The number of tokens from which the text was generated.
    public var tokenCount: Int
    /// The identity of the segment, or `nil` for the last one.
    public var segmentID: String?
  }

  /// The proof to a server that reasoning comes from its own model.
  public struct ReasoningSignature: Sendable {
    /// The signature.
    public var signature: Data
    /// The number of tokens that the signature stands for.
    public var tokenCount: Int
  }

  /// The metadata of an entry or a call, which replaces what was set before.
  public struct Metadata: Sendable {
    /// The values by their keys.
    public var values: [String: GeneratedContent]

    init(_ values: [String: any ConvertibleToGeneratedContent]) {
      self.values = values.mapValues(\.generatedContent)
    }
  }
}

extension LanguageModelExecutorGenerationChannel.ToolCalls.ToolCall {
  /// Text that is appended to the JSON of a call's arguments.
  public struct ArgumentsFragment: Sendable {
    /// The text.
    public var content: String
    /// The number of tokens from which the text was generated.
    public var tokenCount: Int
  }
}
