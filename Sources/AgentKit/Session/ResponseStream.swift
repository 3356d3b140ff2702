extension LanguageModelSession {
  /// An answer while it is being generated: a sequence of snapshots, each of the whole so far.
  ///
  /// A snapshot comes whenever the answer or a thought has grown, and whenever calls or the outputs of
  /// tools have joined the transcript; what cannot be read yet, such as the first half of a number,
  /// waits for more. A reader that falls far behind skips to later ones. The `rawContent` of the last
  /// one of an answer is complete. A turn may end without
  /// any snapshot, so a view ends with the sequence and not with its first element. Ending the iteration
  /// early cancels the turn.
  public struct ResponseStream<Content: Generable>: AsyncSequence {
    /// The elements are snapshots.
    public typealias Element = Snapshot

    /// The answer so far.
    public struct Snapshot {
      /// What is known of the answer: of a text nothing, until the model is asked again, where what it
      /// wrote stood beside calls.
      public var content: Content.PartiallyGenerated
      /// The answer as the model generated it so far.
      public var rawContent: GeneratedContent
      /// The entries that the request has added to the transcript so far.
      ///
      /// The last ones may be growing still.
      public var transcriptEntries: ArraySlice<Transcript.Entry>
      /// What the request has used so far, all rounds together.
      public var usage: Usage
    }

    private let progress: AsyncStream<TurnWatcher.Progress>
    private let read: @Sendable (TurnWatcher.Progress) -> GeneratedContent?
    private let turn: Task<TurnOutcome, any Swift.Error>
    /// The parts of an answer keep their identities from snapshot to snapshot.
    private let id = GenerationID()

    init(
      progress: AsyncStream<TurnWatcher.Progress>,
      reading read: @escaping @Sendable (TurnWatcher.Progress) -> GeneratedContent?,
      turn: Task<TurnOutcome, any Swift.Error>
    ) {
      self.progress = progress
      self.read = read
      self.turn = turn
    }

    /// Makes the reading end.
    ///
    /// A stream has one reader.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(
        progress: progress.makeAsyncIterator(),
        read: read,
        reader: Reader(turn: turn),
        id: id
      )
    }

    /// Ends the turn when nobody reads it any more; a turn that has ended stays as it is.
    final class Reader: Sendable {
      let turn: Task<TurnOutcome, any Swift.Error>

      init(turn: Task<TurnOutcome, any Swift.Error>) { self.turn = turn }

      deinit { turn.cancel() }
    }

    /// Reads snapshots.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var progress: AsyncStream<TurnWatcher.Progress>.AsyncIterator
      let read: @Sendable (TurnWatcher.Progress) -> GeneratedContent?
      let reader: Reader
      let id: GenerationID

      /// The next snapshot; `nil` when the answer is complete.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Snapshot? {
        while let progress = await progress.next(isolation: actor) {
          // One that only looks complete is not yet the last: the end comes with what was used.
          guard let raw = read(progress)?.identified(as: id),
            progress.isWhole || !raw.isComplete,
            !raw.mayBecomeAnother(Content.PartiallyGenerated.self),
            let content = try? Content.PartiallyGenerated(raw)
          else { continue }
          return Snapshot(
            content: content,
            rawContent: raw,
            transcriptEntries: progress.entries,
            usage: progress.usage
          )
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
    /// - Throws: What `respond` would have thrown.
    nonisolated(nonsending) public func collect() async throws -> sending Response<Content> {
      let outcome = try await LanguageModelSession.outcome(of: turn)
      // The turn ends with the last reference to its snapshots.
      defer { withExtendedLifetime(progress) {} }
      return try Response(outcome, id: id)
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
  func stream<Content: Generable>(_ prompt: Transcript.Prompt) -> sending ResponseStream<Content> {
    // Each is of the whole so far: all those of a long answer would take far more than the answer.
    let (progress, continuation) = AsyncStream<TurnWatcher.Progress>.makeStream(
      bufferingPolicy: .bufferingNewest(64)
    )
    let watcher = TurnWatcher { continuation.yield($0) }
    // Begun here and not in the task, so that which of two requests is refused is no matter of luck.
    let before = Result { try begin() }
    // A task of its own, because work begins before anybody waits for it. It ends with its reader.
    let turn = Task {
      defer { continuation.finish() }
      return try await run(
        .prompt(prompt),
        host: OpenHost(),
        from: before.get(),
        watcher: watcher,
        check: LanguageModelSession.Response<Content>.check
      )
    }
    continuation.onTermination = { _ in turn.cancel() }
    let isText = prompt.schema == nil
    return ResponseStream(
      progress: progress,
      reading: { isText ? GeneratedContent(text: $0) : GeneratedContent(structured: $0) },
      turn: turn
    )
  }
}

extension LanguageModelSession.ResponseStream where Content == String {
  /// A stream of one snapshot, of an answer that is there already.
  init(_ outcome: TurnOutcome) {
    let (progress, continuation) = AsyncStream<TurnWatcher.Progress>.makeStream()
    let answer = outcome.response?.segments.joinedText ?? ""
    continuation.yield(
      .init(answer: answer, isWhole: true, entries: outcome.entries, usage: outcome.usage)
    )
    continuation.finish()
    // A task only in form: it has nothing to wait for.
    self.init(progress: progress, reading: { GeneratedContent(text: $0) }, turn: Task { outcome })
  }
}

extension GeneratedContent {
  fileprivate init(text progress: TurnWatcher.Progress) {
    self.init(kind: .string(progress.answer), id: nil, isComplete: progress.isWhole)
  }

  /// Reads a structured answer as far as it goes; one that has not even begun is an empty object.
  fileprivate init?(structured progress: TurnWatcher.Progress) {
    if progress.answer.isEmpty {
      self.init(
        kind: .structure(properties: [:], orderedKeys: []),
        id: nil,
        isComplete: false
      )
    } else if let content = try? GeneratedContent(json: progress.answer) {
      // Only the end of the answer is the end of a number.
      self.init(
        kind: content.kind,
        id: content.id,
        isComplete: content.isComplete || progress.isWhole
      )
    } else {
      return nil
    }
  }
}

extension LanguageModelSession.Response {
  /// - Parameter id: The identity that the answer had while it streamed.
  init(_ outcome: TurnOutcome, id: GenerationID = GenerationID()) throws {
    let raw = Self.content(of: outcome.response, id)
    self.init(
      content: try Content(raw),
      rawContent: raw,
      transcriptEntries: outcome.entries,
      usage: outcome.usage,
      exit: outcome.exit ?? .answered
    )
  }

  /// Throws what `init` would: before the answer is kept, so that the turn fails.
  static func check(_ response: Transcript.Response) throws {
    _ = try Content(content(of: response, GenerationID()))
  }

  private static func content(
    of response: Transcript.Response?,
    _ id: GenerationID
  ) -> GeneratedContent {
    guard case .structure(let structured) = response?.segments.first else {
      return GeneratedContent(response?.segments.joinedText ?? "")
    }
    return structured.content.identified(as: id)
  }
}
