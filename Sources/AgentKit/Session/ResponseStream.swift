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

    private let partials: AsyncStream<GeneratedContent>
    private let turn: Task<TurnOutcome, any Swift.Error>

    init(
      partials: AsyncStream<GeneratedContent>,
      turn: Task<TurnOutcome, any Swift.Error>
    ) {
      self.partials = partials
      self.turn = turn
    }

    /// Makes the reading end.
    ///
    /// A stream has one reader.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(partials: partials.makeAsyncIterator(), reader: Reader(turn: turn))
    }

    /// Ends the turn when nobody reads it any more; a turn that has ended stays as it is.
    final class Reader: Sendable {
      let turn: Task<TurnOutcome, any Swift.Error>

      init(turn: Task<TurnOutcome, any Swift.Error>) { self.turn = turn }

      deinit { turn.cancel() }
    }

    /// Reads snapshots.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var partials: AsyncStream<GeneratedContent>.AsyncIterator
      let reader: Reader

      /// The next snapshot; `nil` when the answer is complete.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Snapshot? {
        while let raw = await partials.next(isolation: actor) {
          // What cannot be read yet, such as the first half of a number, waits for more.
          guard let content = try? Content.PartiallyGenerated(raw) else { continue }
          return Snapshot(content: content, rawContent: raw)
        }
        // The snapshots also end when the reading task is cancelled; how the turn ended says so.
        _ = try await LanguageModelSession.outcome(of: reader.turn)
        return nil
      }

      /// The next snapshot; `nil` when the answer is complete.
      public mutating func next() async throws -> Snapshot? {
        try await next(isolation: nil)
      }
    }

    /// Waits for the whole answer, also when its snapshots have been read.
    nonisolated(nonsending) public func collect() async throws -> Response<Content> {
      let outcome = try await LanguageModelSession.outcome(of: turn)
      // The turn ends with the last reference to its snapshots.
      return try withExtendedLifetime(partials) { try Response(outcome) }
    }
  }

  /// Waits for the end of a turn, which ends early with the task that waits.
  nonisolated(nonsending) private static func outcome(
    of turn: Task<TurnOutcome, any Swift.Error>
  ) async throws -> TurnOutcome {
    try await withTaskCancellationHandler {
      try await turn.value
    } onCancel: {
      turn.cancel()
    }
  }

  /// Begins a turn at once, and shows it while it goes on.
  func stream<Content: Generable>(
    _ prompt: Transcript.Prompt,
    schema: GenerationSchema?,
    reading read: @escaping @Sendable (String) -> GeneratedContent?
  ) -> sending ResponseStream<Content> {
    let (partials, continuation) = AsyncStream<GeneratedContent>.makeStream()
    let host = OpenHost { snapshot in
      guard snapshot.kind == .response, let content = read(snapshot.text) else { return }
      continuation.yield(content)
    }
    // Begun here and not in the task, so that which of two requests is refused is no matter of luck.
    let before = Result { try begin() }
    let turn = Task {
      defer { continuation.finish() }
      return try await run(.prompt(prompt), schema: schema, host: host, from: before.get())
    }
    continuation.onTermination = { _ in turn.cancel() }
    return ResponseStream(partials: partials, turn: turn)
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
