/// Carries what a model generates to the session, in parts, as it comes.
///
/// Parts of one entry have the same `entryID`. Events of one kind that follow each other without
/// an identity belong together.
public struct LanguageModelExecutorGenerationChannel: AsyncSequence, Sendable {
  /// The elements are events.
  public typealias Element = Event

  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  /// Makes an open channel.
  public init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Sends a part.
  public nonisolated(nonsending) func send(_ event: Event) async {
    continuation.yield(event)
  }

  package func finish() {
    continuation.finish()
  }

  /// Makes the reading end.
  ///
  /// A channel has one reader.
  public func makeAsyncIterator() -> AsyncStream<Event>.Iterator {
    stream.makeAsyncIterator()
  }

  /// A part of what a model generates.
  public struct Event: Sendable {
    package enum Content: Sendable {
      case response(Response.Action)
      case reasoning(Reasoning.Action)
      case toolCalls(ToolCalls.Action)
    }

    package let entryID: String?
    package let content: Content

    /// A part of the answer.
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      Event(entryID: entryID, content: .response(action))
    }

    /// A part of the thinking before the answer.
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      Event(entryID: entryID, content: .reasoning(action))
    }

    /// A part of a round of calls.
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      Event(entryID: entryID, content: .toolCalls(action))
    }
  }

  /// Parts of an answer.
  public enum Response {
    /// What happens to the answer.
    public struct Action: Sendable {
      package let part: Part

      /// Adds text.
      ///
      /// `tokenCount` is how many tokens it was generated from.
      public static func appendText(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .append(text))
      }

      /// Replaces the text so far.
      public static func replaceTextSegment(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .replace(text))
      }

      /// States what the request has used up to now; it replaces what was stated before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(part: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }
  }

  /// Parts of the thinking before an answer.
  public enum Reasoning {
    /// What happens to the thinking.
    public struct Action: Sendable {
      package let part: Part

      /// Adds text.
      public static func appendText(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .append(text))
      }

      /// Replaces the text so far.
      public static func replaceTextSegment(
        _ text: String,
        segmentID: String? = nil,
        tokenCount: Int
      ) -> Action {
        Action(part: .replace(text))
      }
    }
  }

  /// Parts of a round of calls.
  public enum ToolCalls {
    /// What happens to the round.
    public struct Action: Sendable {
      package enum Content: Sendable {
        case call(id: String, name: String, ToolCall.Action)
        case usage(Usage)
      }

      package let content: Content

      /// Adds to one call.
      ///
      /// Every event repeats the call's identity and name.
      public static func toolCall(id: String, name: String, action: ToolCall.Action) -> Action {
        Action(content: .call(id: id, name: name, action))
      }

      /// States what the request has used up to now; it replaces what was stated before.
      public static func updateUsage(
        input: Usage.Input,
        output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(content: .usage(Usage(input: input, output: output, metadata: metadata)))
      }
    }

    /// Parts of one call.
    public enum ToolCall {
      /// What happens to the call.
      public struct Action: Sendable {
        package let arguments: String

        /// Adds to the JSON text of the arguments.
        public static func appendArguments(_ content: String, tokenCount: Int) -> Action {
          Action(arguments: content)
        }
      }
    }
  }

  package enum Part: Sendable {
    case append(String)
    case replace(String)
    case usage(Usage)
  }

  /// What a request has used.
  public typealias Usage = LanguageModelSession.Usage
}
