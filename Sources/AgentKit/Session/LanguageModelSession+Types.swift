public import PlatformLibraries

extension LanguageModelSession {
  /// The answer to a request.
  public struct Response<Content: Generable> {
    /// The answer.
    ///
    /// An answer in text is its text alone; its attachments are in `transcriptEntries`.
    public let content: Content
    /// The answer as the model generated it.
    public let rawContent: GeneratedContent
    /// The entries that the request added to the transcript: reasoning, calls, outputs and the
    /// answer.
    ///
    /// They do not include the caller's own prompt; FoundationModels does not specify this.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// The usage of the request, over all rounds.
    ///
    /// It includes the usage of sessions and friends that the request's tools and hooks asked.
    public let usage: Usage
    /// Why the turn ended.
    ///
    /// A turn without an answer throws an error; the `onExit` hook is called for those turns too.
    public let exit: TurnExit
  }

  /// The number of tokens used.
  public typealias Usage = TokenUsage

  /// What happens to the transcript when a turn fails.
  public struct TranscriptErrorHandlingPolicy: Sendable {
    enum Kind {
      case revert, preserve
    }

    let kind: Kind

    /// Restores the transcript to its state before the prompt; this is the default.
    public static let revertTranscript = TranscriptErrorHandlingPolicy(kind: .revert)
    /// Keeps the transcript as it is, possibly with a call without output or with an incomplete
    /// answer.
    ///
    /// Its owner must repair it before the next prompt. A coordinator, which owns what agents
    /// share, keeps nothing of a turn that was cancelled or reached a cap.
    public static let preserveTranscript = TranscriptErrorHandlingPolicy(kind: .preserve)
  }

  /// An error that says what a session refused.
  public enum Error: LocalizedError, CustomDebugStringConvertible, Sendable, Hashable {
    /// A prompt was sent while another is being answered.
    case concurrentRequests
    /// The transcript was changed while a prompt is being answered.
    case transcriptMutationWhileResponding

    /// A description of the error for developers.
    public var debugDescription: String {
      switch self {
      case .concurrentRequests:
        "The session is already answering a prompt; wait until isResponding is false."
      case .transcriptMutationWhileResponding:
        "The transcript was set while a prompt was being answered;"
          + " wait until isResponding is false, or write the history in a hook."
      }
    }

    /// A description of the error.
    public var errorDescription: String? { debugDescription }
  }

  /// An error that says that a tool, or a hook before it, ended the turn by throwing.
  public struct ToolCallError: LocalizedError, CustomDebugStringConvertible {
    /// The tool that was called.
    public var tool: any Tool
    /// The error that was thrown.
    public var underlyingError: any Swift.Error
    /// The session whose turn ended, identified by its properties, or `nil` if no session created
    /// the error.
    var session: ObjectIdentifier?

    /// Creates an error.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    /// A description of the error for developers.
    public var debugDescription: String {
      let text = "The tool '\(tool.name)' ended the turn: \(underlyingError.inWords)"
      // A tool uses this error to end a loop whose caller catches it, but an agent has no such
      // caller.
      guard underlyingError is CancellationError else { return text }
      return text + " (to end it with an answer, throw FinalAnswer)"
    }

    /// A description of the error.
    public var errorDescription: String? { debugDescription }
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}

/// What happens to the transcript when a turn fails.
public typealias TranscriptErrorHandlingPolicy = LanguageModelSession.TranscriptErrorHandlingPolicy
