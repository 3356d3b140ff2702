/// A channel that carries what a model generates to the session, part by part.
///
/// Parts of one entry have the same `entryID`. Consecutive parts of one kind without an identity
/// belong together, and a part of another kind ends the entry. A sender of several kinds of parts
/// therefore gives each entry an identity.
///
/// The token counts of the parts add up to the output of the request. A sender that knows more sets
/// the usage with `updateUsage`, which replaces all counts before it; those after it add to it.
public struct LanguageModelExecutorGenerationChannel: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Event
  /// The usage of a request.
  public typealias Usage = LanguageModelSession.Usage

  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  /// Creates an open channel.
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

  /// Returns the channel's iterator.
  ///
  /// A channel has only one reader.
  public func makeAsyncIterator() -> AsyncStream<Event>.Iterator {
    stream.makeAsyncIterator()
  }

  /// A part of what a model generates.
  public struct Event: Sendable {
    package enum Content: Sendable {
      case response(Response)
      case reasoning(Reasoning)
      case toolCalls(ToolCalls)
    }

    package let content: Content

    /// A part of the answer.
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      Event(content: .response(.init(entryID: entryID, action: action)))
    }

    /// A part of the reasoning that precedes the answer.
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      Event(content: .reasoning(.init(entryID: entryID, action: action)))
    }

    /// A part of a round of calls.
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      Event(content: .toolCalls(.init(entryID: entryID, action: action)))
    }
  }
}
