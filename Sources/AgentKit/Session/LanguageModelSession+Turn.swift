import Observation
import Synchronization

extension LanguageModelSession {
  /// Runs one turn to its end, or reverts it.
  nonisolated(nonsending) package func run(
    _ start: TurnStart,
    host: some TurnHost
  ) async throws -> TurnOutcome {
    try await run(start, host: host, from: begin(), watcher: nil)
  }

  /// Runs a turn that has begun, on top of the transcript that it began with.
  nonisolated(nonsending) func run(
    _ start: TurnStart,
    host: some TurnHost,
    from before: Transcript,
    watcher: TurnWatcher?,
    check: AnswerCheck? = nil
  ) async throws -> TurnOutcome {
    let below = UsageTally(within: ToolCallContext.tally)
    return try await ToolCallContext.$tally.withValue(below) {
      try await runCounted(start, host: host, from: before, watcher: watcher, check: check)
    }
  }

  /// Runs a turn while what is used below it is counted.
  nonisolated(nonsending) private func runCounted(
    _ start: TurnStart,
    host: some TurnHost,
    from before: Transcript,
    watcher: TurnWatcher?,
    check: AnswerCheck?
  ) async throws -> TurnOutcome {
    do {
      let scope = SessionScope(properties, .turn)
      defer { scope.end() }
      var outcome = try await SessionScope.$current.withValue(scope) {
        try await loop(start, host: host, watcher: watcher, check: check)
      }
      outcome.usage += try await countUsageBelow(host: host)
      try checkFault()
      if let exit = outcome.exit { await tell(of: exit) }
      // The turn has ended: what cannot be told any more ends it no other way.
      if let used = try? await countUsageBelow(host: host) { outcome.usage += used }
      rest()
      return outcome
    } catch {
      // Hooks must not act on what is not kept yet. What cannot be kept is no part of the turn.
      try? await host.settle()
      _ = try? await countUsageBelow(host: host)
      revert(to: before)
      let exit = finalAnswer(in: error) == nil ? TurnExit(throwing: error) : .finalAnswer
      await tell(of: exit == .cancelled ? host.exitOfCancellation : exit)
      _ = try? await countUsageBelow(host: host)
      rest()
      throw error
    }
  }

  /// Gives the session back after a turn.
  private func rest() {
    change(\.isResponding) { state in
      state.fault = nil
      state.phase = .idle
    }
  }

  /// Tells the hooks of the profile that was active last; it still is, until the session is idle.
  nonisolated(nonsending) private func tell(of exit: TurnExit) async {
    let scope = SessionScope(properties, .turn)
    defer { scope.end() }
    await SessionScope.$current.withValue(scope) {
      for hook in onExit { await hook(exit) }
    }
  }

  /// Takes the session for one turn.
  func begin() throws -> Transcript {
    try observations.withMutation(of: self, keyPath: \.isResponding) {
      // A turn that begins waits for the bodies that `prewarm` evaluates: they are nobody else's then.
      try preparing.withLock { _ in
        try state.withLock { state in
          guard state.phase == .idle else { throw Error.concurrentRequests }
          state.phase = .responding
          return state.transcript
        }
      }
    }
  }

  /// - Throws: What was done wrong during the turn, where nothing could be thrown.
  private func checkFault() throws {
    if let fault = state.withLock({ $0.fault }) { throw fault }
  }

  private func revert(to before: Transcript) {
    let preserves = preservesTranscriptOnError
    change(\.transcript) { state in
      if preserves {
        state.transcript.append(contentsOf: state.growing)
      } else {
        // The instructions are the profile's word of the moment, and no part of the turn.
        state.replace { $0.history = before.history }
      }
      state.growing = []
    }
  }

  /// What the profile comes to now.
  /// - Throws: `SessionPropertyValues.HistoryIsReadOnly` when a body writes the history.
  func resolve() throws -> ResolvedProfile {
    let scope = SessionScope(properties, .body(type(of: profile)))
    let resolved = ResolvedProfile(profile, in: scope)
    try scope.check()
    return resolved
  }

  /// Whether code of the agent runs on the way to the next request, other than its bodies.
  func acts(on resolved: ResolvedProfile) -> Bool {
    !resolved.transforms.isEmpty || !notices(of: resolved).isEmpty
  }

  /// What profiles are told that went or came.
  private func notices(of resolved: ResolvedProfile) -> [ProfileHooks.Notice] {
    let (before, now) = (active, resolved.activations)
    let left = before.filter { old in !now.contains { $0.path == old.path } }
    let came = now.filter { new in !before.contains { $0.path == new.path } }
    return left.compactMap(\.onDeactivate) + came.compactMap(\.onActivate)
  }

  /// Replaces entry zero by what the profile says now, and tells profiles that came or went.
  /// - Returns: Whether any was told, and may have changed what the profile comes to.
  @discardableResult
  nonisolated(nonsending) func activate(_ resolved: ResolvedProfile) async -> Bool {
    let notices = notices(of: resolved)
    active = resolved.activations
    onExit = resolved.hooks.onExit
    for notice in notices { await notice() }
    let instructions = Transcript.Instructions(resolved.instructions)
    change(\.transcript) { $0.transcript.lead(with: instructions) }
    return !notices.isEmpty
  }

  /// The entry that instructions and tools come to in this session, whose properties tools may read
  /// to say what they are.
  func instructionsEntry(_ resolved: ResolvedInstructions) -> Transcript.Instructions {
    let scope = SessionScope(properties, .body(type(of: profile)))
    return SessionScope.$current.withValue(scope) { Transcript.Instructions(resolved) }
  }

  /// Puts an entry into the transcript, in the place of what it was while it grew.
  func append(_ entry: Transcript.Entry) {
    change(\.transcript) { state in
      state.growing.removeAll { $0.id == entry.id }
      state.transcript.append(entry)
    }
  }

  /// Shows what the model is generating.
  func grow(_ entries: [Transcript.Entry]) {
    change(\.transcript) { $0.growing = entries }
  }

  /// Takes back what was shown of a request and has not become an entry.
  func stopGrowing() {
    guard state.withLock({ !$0.growing.isEmpty }) else { return }
    grow([])
  }

  func rewriteHistory(_ history: Transcript.HistoryView) {
    change(\.transcript) { state in
      state.replace { $0.history = history }
      state.historyRewrites += 1
    }
  }

  /// How often agents have written to the history.
  ///
  /// Where it has not changed, nothing but new entries has: to compare a long history would cost more
  /// than everything else that happens between two requests.
  package var historyRewrites: Int { state.withLock { $0.historyRewrites } }

  /// The window of the model that was asked last, in tokens; `nil` when it is not known.
  package var contextSize: Int? { state.withLock { $0.window } }

  /// Counts what was used in a turn; a session that the code of another runs tells that one.
  func add(_ usage: Usage, of source: UsageTally.Source = .session) {
    change(\.usage) { $0.usage += usage }
    // The tally of the turn itself is for what is used below it.
    ToolCallContext.tally?.outer?.add(usage, of: source)
  }

  /// Loads what the next request needs, where the model can.
  ///
  /// The prefix is what the profile says now, the transcript, and the beginning of a prompt. Best
  /// effort: it returns at once, and does nothing while the session responds.
  public func prewarm(promptPrefix: Prompt? = nil) {
    // A turn that is under way has made the model ready, and the profile is its own.
    guard let prepared = preparing.withLockIfAvailable({ _ in try? prepare(promptPrefix) }),
      let (model, transcript) = prepared
    else { return }
    executors.prewarm(model, transcript: transcript)
  }

  /// What a request with such a prompt would begin with.
  private func prepare(_ prefix: Prompt?) throws -> (any LanguageModel, Transcript)? {
    guard var transcript = state.withLock({ $0.phase == .idle ? $0.transcript : nil }) else {
      return nil
    }
    let resolved = try resolve()
    transcript.lead(with: instructionsEntry(resolved.instructions))
    if let prefix { transcript.append(.prompt(.init(segments: prefix.segments))) }
    return (resolved.model ?? SystemLanguageModel.default, transcript)
  }
}

extension LanguageModelSession {
  /// Loads what the next request needs, where the model can.
  ///
  /// Apple's article about caching writes the prefix as a text, which FoundationModels itself takes only
  /// inside a `Prompt`.
  @_disfavoredOverload
  public func prewarm(promptPrefix: some PromptRepresentable) {
    prewarm(promptPrefix: Prompt(promptPrefix))
  }
}

extension Transcript {
  /// Puts instructions in the place of the leading ones, whose identity they take.
  fileprivate mutating func lead(with instructions: Instructions) {
    var instructions = instructions
    if let leading = leadingInstructions {
      instructions.id = leading.id
      self[0] = .instructions(instructions)
    } else {
      insert(.instructions(instructions), at: 0)
    }
  }
}

extension Transcript.Instructions {
  /// The entry that instructions and tools come to.
  init(_ resolved: ResolvedInstructions) {
    var definitions: [Transcript.ToolDefinition] = []
    for tool in resolved.tools {
      let definition = Transcript.ToolDefinition(tool: tool)
      // Instructions that are nested in two places bring their tools twice.
      if !definitions.contains(definition) { definitions.append(definition) }
    }
    self.init(id: "instructions", segments: resolved.segments, toolDefinitions: definitions)
  }
}

extension LanguageModelSession {
  /// Whether a failed turn leaves its entries in the transcript, as the profile says now.
  package var preservesTranscriptOnError: Bool {
    let policy = (try? resolve())?.errorPolicy ?? transcriptErrorHandlingPolicy
    return (policy ?? .revertTranscript).kind == .preserve
  }
}
