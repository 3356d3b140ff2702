extension LanguageModelSession {
  /// An answer while it is being generated: a sequence of snapshots, each of the whole so far.
  ///
  /// A turn may end without any snapshot, so a view ends with the sequence and not with its first
  /// element. Ending the iteration early cancels the turn.
  public struct ResponseStream<Content: Generable>: AsyncSequence {
    /// The elements are snapshots.
    public typealias Element = Snapshot

    /// The answer so far.
    public struct Snapshot {
      /// What is known of the answer.
      public var content: Content.PartiallyGenerated
      /// The answer as the model generated it so far.
      public var rawContent: GeneratedContent
    }

    enum Event: Sendable {
      case partial(GeneratedContent)
      case finished(TurnOutcome)
    }

    private let events: AsyncThrowingStream<Event, any Swift.Error>

    init(events: AsyncThrowingStream<Event, any Swift.Error>) {
      self.events = events
    }

    /// Makes the reading end.
    ///
    /// A stream has one reader.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(events: events.makeAsyncIterator())
    }

    /// Reads snapshots.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var events: AsyncThrowingStream<Event, any Swift.Error>.AsyncIterator

      /// The next snapshot; `nil` when the answer is complete.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Snapshot? {
        while let event = try await events.next(isolation: actor) {
          guard case .partial(let raw) = event else { continue }
          // What cannot be read yet, such as the first half of a number, waits for more.
          guard let content = try? Content.PartiallyGenerated(raw) else { continue }
          return Snapshot(content: content, rawContent: raw)
        }
        return nil
      }

      /// The next snapshot; `nil` when the answer is complete.
      public mutating func next() async throws -> Snapshot? {
        try await next(isolation: nil)
      }
    }

    /// Waits for the whole answer.
    nonisolated(nonsending) public func collect() async throws -> Response<Content> {
      var outcome: TurnOutcome?
      for try await event in events {
        if case .finished(let finished) = event { outcome = finished }
      }
      guard let outcome else { throw CancellationError() }
      return try Response(outcome)
    }
  }
}

extension LanguageModelSession.Response {
  init(_ outcome: TurnOutcome) throws {
    let segment = outcome.response?.segments.first
    let raw: GeneratedContent
    if case .structure(let structured) = segment {
      raw = structured.content
    } else {
      raw = GeneratedContent(outcome.response?.segments.joinedText ?? "")
    }
    self.init(
      content: try Content(raw),
      rawContent: raw,
      transcriptEntries: outcome.entries,
      usage: outcome.usage
    )
  }
}
