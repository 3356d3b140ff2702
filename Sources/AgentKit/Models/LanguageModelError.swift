#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a model could not serve a request.
public enum LanguageModelError: Error, Sendable {
  /// The context does not fit into the model's window.
  case contextSizeExceeded(ContextSizeExceeded)
  /// The model cannot do what the request asks for.
  case unsupportedCapability(UnsupportedCapability)
  /// The request asks for what cannot be generated, such as a required call without any tool.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The transcript holds what the model cannot read.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// The model has been asked too often.
  case rateLimited(RateLimited)
  /// The model took too long.
  case timeout(Timeout)

  /// The figures of a context that does not fit.
  public struct ContextSizeExceeded: Sendable {
    /// The model's window, in tokens.
    public var contextSize: Int
    /// The tokens that the request has.
    public var tokenCount: Int
    /// What happened, for a developer.
    public var debugDescription: String

    /// Makes the figures of an error.
    public init(contextSize: Int, tokenCount: Int, debugDescription: String) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
    }
  }

  /// What a model cannot do.
  public struct UnsupportedCapability: Sendable {
    /// The capability that is missing.
    public var capability: LanguageModelCapabilities.Capability
    /// What happened, for a developer.
    public var debugDescription: String

    /// Makes the facts of an error.
    public init(capability: LanguageModelCapabilities.Capability, debugDescription: String) {
      self.capability = capability
      self.debugDescription = debugDescription
    }
  }

  /// What cannot be generated.
  public struct UnsupportedGenerationGuide: Sendable {
    /// The name of the schema in question, where there is one.
    public var schemaName: String?
    /// What happened, for a developer.
    public var debugDescription: String

    /// Makes the facts of an error.
    public init(schemaName: String? = nil, debugDescription: String) {
      self.schemaName = schemaName
      self.debugDescription = debugDescription
    }
  }

  /// What a model cannot read.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries in question.
    public var unsupportedContent: [Transcript.Entry]
    /// What happened, for a developer.
    public var debugDescription: String

    /// Makes the facts of an error.
    public init(unsupportedContent: [Transcript.Entry], debugDescription: String) {
      self.unsupportedContent = unsupportedContent
      self.debugDescription = debugDescription
    }
  }

  /// When a model can be asked again.
  public struct RateLimited: Sendable {
    /// When it can be; `nil` when nobody said.
    public var resetDate: Date?
    /// What happened, for a developer.
    public var debugDescription: String

    /// Makes the facts of an error.
    public init(resetDate: Date? = nil, debugDescription: String) {
      self.resetDate = resetDate
      self.debugDescription = debugDescription
    }
  }

  /// What took too long.
  public struct Timeout: Sendable {
    /// What happened, for a developer.
    public var debugDescription: String

    /// Makes the facts of an error.
    public init(debugDescription: String) {
      self.debugDescription = debugDescription
    }
  }
}

extension LanguageModelError: CustomDebugStringConvertible {
  /// What happened, for a developer.
  public var debugDescription: String {
    switch self {
    case .contextSizeExceeded(let facts): facts.debugDescription
    case .unsupportedCapability(let facts): facts.debugDescription
    case .unsupportedGenerationGuide(let facts): facts.debugDescription
    case .unsupportedTranscriptContent(let facts): facts.debugDescription
    case .rateLimited(let facts): facts.debugDescription
    case .timeout(let facts): facts.debugDescription
    }
  }
}
