/// Carries what a model generates to the session, in parts, as it comes.
///
/// Parts of one entry have the same `entryID`. Parts of one kind that follow each other without an
/// identity belong together; a part of another kind between them ends the entry, so whoever sends
/// several kinds gives each an identity.
public struct LanguageModelExecutorGenerationChannel: AsyncSequence, Sendable {
  /// The elements are events.
  public typealias Element = Event
  /// What a request has used.
  public typealias Usage = LanguageModelSession.Usage

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
}
