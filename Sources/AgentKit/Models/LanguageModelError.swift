#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a model could not serve a request.
///
/// The cases are those of FoundationModels 27. Which of them a model of ours throws: a window that is
/// too small, a capability, a guide or a piece of the transcript that it cannot handle, a server that
/// asks to wait or refuses to answer, and a server or a model that takes too long. Local models refuse
/// nothing and guard nothing, so `guardrailViolation` and `unsupportedLanguageOrLocale` come only from
/// models that are written for it.
public enum LanguageModelError: Error, Sendable {
  /// The context does not fit into the model's window.
  case contextSizeExceeded(ContextSizeExceeded)
  /// The model is asked too often.
  case rateLimited(RateLimited)
  /// The model's guardrails do not let the prompt or the answer through.
  case guardrailViolation(GuardrailViolation)
  /// The model refuses to give the structured answer that it was asked for.
  case refusal(Refusal)
  /// The model cannot do what the request asks for.
  case unsupportedCapability(UnsupportedCapability)
  /// The transcript holds what the model cannot read.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// The request asks for what cannot be generated, such as a required call without any tool.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The model does not speak the language that is asked for.
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  /// The model took too long.
  case timeout(Timeout)
}

extension LanguageModelError: CustomDebugStringConvertible, LocalizedError {
  /// What happened, for a developer.
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

  /// What happened.
  public var errorDescription: String? { debugDescription }
}
