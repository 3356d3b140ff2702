public import PlatformLibraries

/// An error that says why a model could not serve a request.
///
/// The cases are those of FoundationModels 27. The models of this package throw them for a window
/// that is too small; for a capability, a guide or a part of the transcript that the model does not
/// support; for a server that asks to wait or refuses to answer; and for a server or a model that
/// takes too long. Local models refuse nothing and have no guardrails, so only models written to do
/// so throw `guardrailViolation` and `unsupportedLanguageOrLocale`.
public enum LanguageModelError: Error, Sendable {
  /// The context does not fit into the model's window.
  case contextSizeExceeded(ContextSizeExceeded)
  /// The model receives too many requests.
  case rateLimited(RateLimited)
  /// The model's guardrails block the prompt or the answer.
  case guardrailViolation(GuardrailViolation)
  /// The model refuses to give the requested structured answer.
  case refusal(Refusal)
  /// The model lacks a capability that the request needs.
  case unsupportedCapability(UnsupportedCapability)
  /// The transcript contains content that the model cannot read.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// The request asks for something that cannot be generated, such as a required call without any
  /// tool.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The model does not support the requested language.
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  /// The model took too long.
  case timeout(Timeout)
}

extension LanguageModelError: CustomDebugStringConvertible, LocalizedError {
  /// A description of the error for developers.
  public var debugDescription: String {
    switch self {
    case .contextSizeExceeded(let facts): facts.debugDescription
    case .rateLimited(let facts): facts.debugDescription
    case .guardrailViolation(let facts): facts.debugDescription
    case .refusal(let facts): facts.debugDescription
    case .unsupportedCapability(let facts): facts.debugDescription
    case .unsupportedTranscriptContent(let facts): facts.debugDescription
    case .unsupportedGenerationGuide(let facts): facts.debugDescription
    case .unsupportedLanguageOrLocale(let facts): facts.debugDescription
    case .timeout(let facts): facts.debugDescription
    }
  }

  /// A description of the error.
  public var errorDescription: String? { debugDescription }
}
