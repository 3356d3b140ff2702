#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension LanguageModelError {
  /// The figures of a context that does not fit.
  public struct ContextSizeExceeded: Sendable {
    /// The model's window, in tokens.
    public var contextSize: Int
    /// The tokens that the request has.
    public var tokenCount: Int
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
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

  /// When a model can be asked again.
  public struct RateLimited: Sendable {
    /// The moment from which it answers again, where it says so.
    public var resetDate: Date?
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
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

  /// What a guardrail stopped.
  public struct GuardrailViolation: Sendable {
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
    public init(
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }

  /// What a model cannot do.
  public struct UnsupportedCapability: Sendable {
    /// The capability that is missing.
    public var capability: LanguageModelCapabilities.Capability
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
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

  /// What a model cannot read.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries in question.
    public var unsupportedContent: [Transcript.Entry]
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
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

  /// What cannot be generated.
  public struct UnsupportedGenerationGuide: Sendable {
    /// The name of the schema in question, where there is one.
    public var schemaName: String?
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
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

  /// Which language a model does not speak.
  public struct UnsupportedLanguageOrLocale: Sendable {
    /// The code of the language, such as "de".
    public var languageCode: Locale.LanguageCode
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
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

  /// What took too long.
  public struct Timeout: Sendable {
    /// What happened, for a developer.
    public var debugDescription: String
    /// What else is known.
    public var metadata: [String: any Sendable]

    /// Makes the facts of an error.
    public init(
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}
