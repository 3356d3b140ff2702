extension LanguageModelSession {
  /// An answer that is being generated: a sequence of snapshots, each of the whole answer so far.
  ///
  /// A snapshot is produced whenever the answer or the reasoning has grown, and whenever calls or
  /// tool outputs have joined the transcript. Content that cannot be read yet, such as the first
  /// half of a number, waits for more. A reader that falls far behind skips snapshots. The
  /// `rawContent` of an answer's last snapshot is complete. A turn may end without any snapshot, so
  /// update a view when the sequence ends rather than on its first element. Ending the iteration
  /// early cancels the turn.
  public struct ResponseStream<Content: Generable>: AsyncSequence {
    /// The type of the elements.
    public typealias Element = Snapshot

    /// The answer so far.
    public struct Snapshot {
      /// The part of the answer that is known.
      ///
      /// Text that turns out to accompany calls is removed; the content is then empty until the
      /// model is asked again.
      public var content: Content.PartiallyGenerated
      /// The answer so far, as the model generated it.
      public var rawContent: GeneratedContent
      /// The entries that the request has added to the transcript so far.
      ///
      /// The last ones may still be growing.
      public var transcriptEntries: ArraySlice<Transcript.Entry>
      /// The usage of the request so far, over all rounds.
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

    /// Returns the stream's iterator.
    ///
    /// A stream has only one reader.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(
        progress: progress.makeAsyncIterator(),
        read: read,
        reader: Reader(turn: turn),
        id: id
      )
    }

    /// A reader that ends the turn when it is released; a turn that has already ended is
    /// unaffected.
    final class Reader: Sendable {
      let turn: Task<TurnOutcome, any Swift.Error>

      init(turn: Task<TurnOutcome, any Swift.Error>) { self.turn = turn }

      deinit { turn.cancel() }
    }

    /// An iterator over snapshots.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var progress: AsyncStream<TurnWatcher.Progress>.AsyncIterator
      let read: @Sendable (TurnWatcher.Progress) -> GeneratedContent?
      let reader: Reader
      let id: GenerationID

      /// Returns the next snapshot, or `nil` if the answer is complete.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws -> Snapshot? {
        while let progress = await progress.next(isolation: actor) {
          // A snapshot that merely looks complete is not the last, which also carries the usage.
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
        // The snapshots also end when the reading task is cancelled; the outcome of the turn tells
        // which.
        _ = try await LanguageModelSession.outcome(of: reader.turn)
        return nil
      }

      /// Returns the next snapshot, or `nil` if the answer is complete.
      public mutating func next() async throws -> Snapshot? {
        try await next(isolation: nil)
      }
    }

    /// Waits for the complete answer, even if its snapshots have been read.
    ///
    /// - Throws: The errors that `respond` throws.
    nonisolated(nonsending) public func collect() async throws -> sending Response<Content> {
      let outcome = try await LanguageModelSession.outcome(of: turn)
      // The turn ends with the last reference to its snapshots.
      defer { withExtendedLifetime(progress) {} }
      return try Response(outcome, id: id)
    }
  }

  /// Waits for the end of a turn, which is cancelled along with the waiting task.
  nonisolated(nonsending) private static func outcome(
    of turn: Task<TurnOutcome, any Swift.Error>
  ) async throws -> TurnOutcome {
    try await withTaskCancellationHandler {
      try await turn.value
    } onCancel: {
      turn.cancel()
    }
  }

  /// Starts a turn immediately, and shows its progress.
  func stream<Content: Generable>(_ prompt: Transcript.Prompt) -> sending ResponseStream<Content> {
    // Each snapshot contains the whole answer so far, so keeping all of them would take far more
    // memory than the answer.
    let (progress, continuation) = AsyncStream<TurnWatcher.Progress>.makeStream(
      bufferingPolicy: .bufferingNewest(64)
    )
    let watcher = TurnWatcher { continuation.yield($0) }
    // Begin here and not in the task, so that it is not a matter of luck which of two requests is
    // refused.
    let before = Result { try begin() }
    // The turn needs its own task, because it starts before its result is awaited. It ends with its
    // reader.
    let turn = Task {
      defer { continuation.finish() }
      return try await run(
        .prompt(prompt),
        host: OpenHost(),
        from: before.get(),
        watcher: watcher,
        check: LanguageModelSession.Response<Content>.check,
        isolation: isolation
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
  /// Creates a stream of one snapshot, for an answer that already exists.
  init(_ outcome: TurnOutcome) {
    let (progress, continuation) = AsyncStream<TurnWatcher.Progress>.makeStream()
    let answer = outcome.response?.answerText ?? ""
    continuation.yield(
      .init(answer: answer, isWhole: true, entries: outcome.entries, usage: outcome.usage)
    )
    continuation.finish()
    // The task completes immediately.
    self.init(progress: progress, reading: { GeneratedContent(text: $0) }, turn: Task { outcome })
  }
}

extension GeneratedContent {
  fileprivate init(text progress: TurnWatcher.Progress) {
    self.init(kind: .string(progress.answer), id: nil, isComplete: progress.isWhole)
  }

  /// Reads as much of a structured answer as possible; an answer that has not begun is an empty
  /// object.
  fileprivate init?(structured progress: TurnWatcher.Progress) {
    if progress.answer.isEmpty {
      self.init(
        kind: .structure(properties: [:], orderedKeys: []),
        id: nil,
        isComplete: false
      )
    } else if let content = try? GeneratedContent(json: progress.answer) {
      // A number is complete only when the answer is.
      self = content.marked(isComplete: content.isComplete || progress.isWhole)
    } else {
      return nil
    }
  }
}

extension Transcript.Response {
  /// The answer as its reader sees it, without the attachments that stand in the entry.
  var answerText: String { segments.filter { !$0.isAttachment }.joinedText }
}

extension LanguageModelSession.Response {
  /// Creates a response from the outcome of a turn.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the turn.
  ///   - id: The identity of the answer while it streamed.
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

  /// Throws what `init` would throw, before the answer is kept, so that the turn fails.
  static func check(_ response: Transcript.Response) throws {
    _ = try Content(content(of: response, GenerationID()))
  }

  private static func content(
    of response: Transcript.Response?,
    _ id: GenerationID
  ) -> GeneratedContent {
    guard case .structure(let structured) = response?.segments.first else {
      return GeneratedContent(response?.answerText ?? "")
    }
    return structured.content.identified(as: id)
  }
}
