public import PlatformLibraries

extension LanguageModelError {
  /// The details of a context that does not fit.
  public struct ContextSizeExceeded: Sendable {
    /// The model's window, in tokens.
    public var contextSize: Int
    /// The number of tokens in the request.
    public var tokenCount: Int
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      contextSize: Int,
      tokenCount: Int,
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of a rate limit.
  public struct RateLimited: Sendable {
    /// The time from which the model answers again, if it says so.
    public var resetDate: Date?
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      resetDate: Date? = nil,
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.resetDate = resetDate
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of a guardrail violation.
  public struct GuardrailViolation: Sendable {
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of a capability that a model lacks.
  public struct UnsupportedCapability: Sendable {
    /// The missing capability.
    public var capability: LanguageModelCapabilities.Capability
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      capability: LanguageModelCapabilities.Capability,
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.capability = capability
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of content that a model cannot read.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries that the model cannot read.
    public var unsupportedContent: [Transcript.Entry]
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      unsupportedContent: [Transcript.Entry],
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.unsupportedContent = unsupportedContent
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of a guide that cannot be enforced.
  public struct UnsupportedGenerationGuide: Sendable {
    /// The name of the schema, if there is one.
    public var schemaName: String?
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      schemaName: String? = nil,
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.schemaName = schemaName
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of a language that a model does not support.
  public struct UnsupportedLanguageOrLocale: Sendable {
    /// The code of the language, such as "de".
    public var languageCode: Locale.LanguageCode
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      languageCode: Locale.LanguageCode,
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.languageCode = languageCode
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// The details of a timeout.
  public struct Timeout: Sendable {
    /// A description of the error for developers.
    public var debugDescription: String
    /// Additional information about the error.
    public var metadata: [String: any Sendable]

    /// Creates the details of an error.
    public init(
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}
