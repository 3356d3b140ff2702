public import PlatformLibraries

extension LanguageModelSession {
  /// An error of FoundationModels 26, which nothing in AgentKit throws.
  ///
  /// As in FoundationModels 27, it is deprecated and there for code that still catches it. The
  /// landing page lists what to catch instead of each case.
  @available(
    *,
    deprecated,
    message: """
      Catch LanguageModelError, LanguageModelSession.Error, SystemLanguageModel.Error or \
      GeneratedContent.ParsingError
      """
  )
  public enum GenerationError: Swift.Error, LocalizedError {
    /// The transcript exceeded the model's window.
    case exceededContextWindowSize(Context)
    /// The model is not there.
    case assetsUnavailable(Context)
    /// The model's guardrails block the prompt or the answer.
    case guardrailViolation(Context)
    /// A guide cannot be enforced.
    case unsupportedGuide(Context)
    /// The model does not support the language.
    case unsupportedLanguageOrLocale(Context)
    /// The answer could not be read as the requested type.
    case decodingFailure(Context)
    /// The model receives too many requests.
    case rateLimited(Context)
    /// A prompt was sent while another is being answered.
    case concurrentRequests(Context)
    /// The model refuses to answer.
    case refusal(Refusal, Context)

    /// The details of an error.
    public struct Context: Sendable {
      /// A description of the error for developers.
      public let debugDescription: String

      /// Creates the details of an error.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// The details of a refusal.
    public struct Refusal: Sendable {
      private static let question = "Why did you not answer? Explain it in one or two sentences."

      private let entries: [Transcript.Entry]

      /// Creates the details of a refusal.
      ///
      /// - Parameter transcriptEntries: The entries up to the refusal.
      public init(transcriptEntries: [Transcript.Entry]) { entries = transcriptEntries }

      /// Why the model refused; ``SystemLanguageModel/default`` is asked for each access.
      ///
      /// - Throws: What a session's `respond` throws.
      public var explanation: LanguageModelSession.Response<String> {
        get async throws { try await session.respond(to: Self.question) }
      }

      /// Why the model refused, while ``SystemLanguageModel/default`` writes it.
      public var explanationStream: LanguageModelSession.ResponseStream<String> {
        session.streamResponse(to: Self.question)
      }

      private var session: LanguageModelSession {
        LanguageModelSession(transcript: Transcript(entries: entries))
      }
    }

    /// A description of the error.
    public var errorDescription: String? {
      switch self {
      case .exceededContextWindowSize(let context), .assetsUnavailable(let context),
        .guardrailViolation(let context), .unsupportedGuide(let context),
        .unsupportedLanguageOrLocale(let context), .decodingFailure(let context),
        .rateLimited(let context), .concurrentRequests(let context), .refusal(_, let context):
        context.debugDescription
      }
    }
  }
}
