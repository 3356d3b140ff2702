#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension LanguageModelSession {
  /// What a request was answered with.
  public struct Response<Content: Generable> {
    /// The answer.
    public let content: Content
    /// The answer as the model generated it.
    public let rawContent: GeneratedContent
    /// The entries that the request added to the transcript: thoughts, calls, outputs and the answer.
    ///
    /// The prompt is its caller's own and is not among them; FoundationModels does not say.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// What the request has used, all rounds together.
    ///
    /// What the sessions and friends used that its tools and hooks asked is part of it.
    public let usage: Usage
    /// Why the turn ended.
    ///
    /// A turn that ended without an answer throws; the hook `onExit` hears of those too.
    public let exit: TurnExit
  }

  /// What was used of a model, in tokens.
  public struct Usage: Sendable, Equatable {
    /// What the model read.
    public struct Input: Sendable, Equatable, Codable {
      /// All tokens that it was given.
      public var totalTokenCount: Int
      /// Those of them that it still knew from before, and did not compute again.
      public var cachedTokenCount: Int

      /// Makes figures.
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    /// What the model wrote.
    public struct Output: Sendable, Equatable, Codable {
      /// All tokens that it generated.
      public var totalTokenCount: Int
      /// Those of them that were thinking.
      public var reasoningTokenCount: Int

      /// Makes figures.
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    /// What the model read.
    public var input: Input
    /// What the model wrote.
    public var output: Output
    /// What else the model reports, such as times.
    public var metadata: [String: GeneratedContent]

    /// All tokens, read and written.
    public var totalTokenCount: Int { input.totalTokenCount + output.totalTokenCount }

    /// Makes figures.
    public init(
      input: Input,
      output: Output,
      metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.input = input
      self.output = output
      self.metadata = metadata.mapValues(\.generatedContent)
    }

    package init() {
      self.init(
        input: Input(totalTokenCount: 0, cachedTokenCount: 0),
        output: Output(totalTokenCount: 0, reasoningTokenCount: 0)
      )
    }

    package static func += (left: inout Usage, right: Usage) {
      left.input.totalTokenCount += right.input.totalTokenCount
      left.input.cachedTokenCount += right.input.cachedTokenCount
      left.output.totalTokenCount += right.output.totalTokenCount
      left.output.reasoningTokenCount += right.output.reasoningTokenCount
      left.metadata.merge(right.metadata) { _, last in last }
    }
  }

  /// What becomes of the transcript when a turn fails.
  public struct TranscriptErrorHandlingPolicy: Sendable {
    enum Kind {
      case revert, preserve
    }

    let kind: Kind

    /// It returns to what it was before the prompt; the default.
    public static let revertTranscript = TranscriptErrorHandlingPolicy(kind: .revert)
    /// It stays as it is: perhaps with a call that has no output, or with an answer that broke off.
    ///
    /// Its owner must put it in order before the next prompt. A coordinator, which owns what agents
    /// share, keeps nothing of a turn that was cancelled or met a cap.
    public static let preserveTranscript = TranscriptErrorHandlingPolicy(kind: .preserve)
  }

  /// What a session refuses.
  public enum Error: LocalizedError, Sendable, Hashable {
    /// A prompt while another is being answered.
    case concurrentRequests
    /// A change of the transcript while a prompt is being answered.
    case transcriptMutationWhileResponding

    /// What happened.
    public var errorDescription: String? {
      switch self {
      case .concurrentRequests:
        "The session is already answering a prompt; wait until isResponding is false."
      case .transcriptMutationWhileResponding:
        "The transcript was set while a prompt was being answered;"
          + " wait until isResponding is false, or write the history in a hook."
      }
    }
  }

  /// The errors of FoundationModels 26, which nothing throws any more.
  @available(
    *,
    unavailable,
    message: "Catch LanguageModelError, LanguageModelSession.Error or GeneratedContent.ParsingError"
  )
  public enum GenerationError: Swift.Error {
    /// What was said of an error.
    public struct Context: Sendable {}
    /// What was said of a refusal.
    public struct Refusal: Sendable {}

    case exceededContextWindowSize(Context)
    case assetsUnavailable(Context)
    case guardrailViolation(Context)
    case unsupportedGuide(Context)
    case unsupportedLanguageOrLocale(Context)
    case decodingFailure(Context)
    case rateLimited(Context)
    case concurrentRequests(Context)
    case refusal(Refusal, Context)
  }

  /// A tool, or a hook before it, ended the turn by throwing.
  public struct ToolCallError: LocalizedError, CustomDebugStringConvertible {
    /// The tool that was called.
    public var tool: any Tool
    /// What was thrown.
    public var underlyingError: any Swift.Error
    /// The session whose turn this ended, known by its properties; `nil` where none has made it.
    var session: ObjectIdentifier?

    /// Makes an error.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    /// What happened, for a developer.
    public var debugDescription: String {
      let text = "The tool '\(tool.name)' ended the turn: \(String(reflecting: underlyingError))"
      // How a tool ends a loop whose caller catches it; an agent has no such caller.
      guard underlyingError is CancellationError else { return text }
      return text + " (to end it with an answer, throw FinalAnswer)"
    }

    /// What happened.
    public var errorDescription: String? { debugDescription }
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}

/// What becomes of the transcript when a turn fails.
public typealias TranscriptErrorHandlingPolicy = LanguageModelSession.TranscriptErrorHandlingPolicy
