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

  /// Runs a turn that has begun, on top of the given transcript.
  func run(
    _ start: TurnStart,
    host: some TurnHost,
    from before: Transcript,
    watcher: TurnWatcher?,
    check: AnswerCheck? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> TurnOutcome {
    let below = UsageTally(within: ToolCallContext.tally)
    return try await ToolCallContext.$tally.bound(to: below) {
      try await runCounted(start, host: host, from: before, watcher: watcher, check: check)
    }
  }

  /// Runs a turn while counting the usage below it.
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
      var outcome = try await SessionScope.$current.bound(to: scope) {
        try await loop(start, host: host, watcher: watcher, check: check)
      }
      outcome.usage += try await countUsageBelow(host: host)
      try checkFault()
      if let exit = outcome.exit { await tell(of: exit) }
      // The turn has ended, so an error from the host can no longer change how.
      if let used = try? await countUsageBelow(host: host) { outcome.usage += used }
      rest()
      return outcome
    } catch {
      _ = try? await countUsageBelow(host: host)
      revert(to: before)
      await tell(of: end(with: error, host: host))
      _ = try? await countUsageBelow(host: host)
      rest()
      throw error
    }
  }

  /// Ends a turn that threw an error, and returns why it ended.
  nonisolated(nonsending) private func end(
    with error: any Swift.Error,
    host: some TurnHost
  ) async -> TurnExit {
    guard let answer = finalAnswer(in: error) else {
      let exit = TurnExit(throwing: error)
      return exit == .cancelled ? host.exitOfCancellation : exit
    }
    // First, because the hooks are told when the history is what the turn leaves.
    if let history = await host.close(with: answer) {
      change(\.transcript) { $0.write(history: history) }
    }
    return .finalAnswer
  }

  /// Makes the session idle after a turn.
  private func rest() {
    change(\.isResponding) { state in
      state.fault = nil
      state.phase = .idle
    }
  }

  /// Calls the exit hooks of the last active profile, which stays active until the session is idle.
  nonisolated(nonsending) private func tell(of exit: TurnExit) async {
    let scope = SessionScope(properties, .turn)
    defer { scope.end() }
    await SessionScope.$current.bound(to: scope) {
      for hook in onExit { await hook(exit) }
    }
  }

  func begin() throws -> Transcript {
    try observations.withMutation(of: self, keyPath: \.isResponding) {
      // A turn waits until `prewarm` has evaluated the bodies, and then has exclusive use of them.
      try preparing.withLock { _ in
        try state.withLock { state in
          guard state.phase == .idle else { throw Error.concurrentRequests }
          state.phase = .responding
          return state.transcript
        }
      }
    }
  }

  /// Throws the misuse that occurred during the turn in a place that could not throw.
  ///
  /// - Throws: The first such error.
  private func checkFault() throws {
    if let fault = state.withLock({ $0.fault }) { throw fault }
  }

  private func revert(to before: Transcript) {
    let preserves = preservesTranscriptOnError
    change(\.transcript) { state in
      if preserves {
        state.transcript.append(contentsOf: state.growing)
      } else {
        // The instructions come from the profile's current state and are not part of the turn.
        state.write(history: before.history)
      }
      state.growing = []
    }
  }

  /// Returns the profile as it resolves now.
  ///
  /// - Throws: ``SessionPropertyValues/HistoryIsReadOnly`` if a body writes the history.
  func resolve() throws -> ResolvedProfile {
    let scope = SessionScope(properties, .body(type(of: profile)))
    let resolved = ResolvedProfile(profile, in: scope)
    try scope.check()
    return resolved
  }

  /// Returns the profile as it resolves now, with the functions that the client performs.
  func resolve(for host: some TurnHost) throws -> ResolvedProfile {
    var resolved = try resolve()
    try resolved.offer(host.clientFunctions)
    return resolved
  }

  /// The notices for profiles that have appeared or disappeared.
  private func notices(of resolved: ResolvedProfile) -> [ProfileHooks.Notice] {
    let (before, now) = (active, resolved.activations)
    let left = before.filter { old in !now.contains { $0.path == old.path } }
    let came = now.filter { new in !before.contains { $0.path == new.path } }
    return left.compactMap(\.onDeactivate) + came.compactMap(\.onActivate)
  }

  /// Makes the profile's current instructions the leading ones, and notifies changed profiles.
  ///
  /// - Returns: Whether any hook ran and may have changed the result of resolving the profile.
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

  /// Returns the instructions entry for this session, whose properties tools may read to describe
  /// themselves.
  func instructionsEntry(_ resolved: ResolvedInstructions) -> Transcript.Instructions {
    let scope = SessionScope(properties, .body(type(of: profile)))
    return SessionScope.$current.withValue(scope) { Transcript.Instructions(resolved) }
  }

  /// Appends an entry to the transcript, replacing its growing form.
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

  /// Removes what was shown of a request but did not become an entry.
  func stopGrowing() {
    guard state.withLock({ !$0.growing.isEmpty }) else { return }
    grow([])
  }

  func rewriteHistory(_ history: Transcript.HistoryView) {
    change(\.transcript) { state in
      state.write(history: history)
      state.historyRewrites += 1
    }
  }

  /// The number of times that agents have written to the history.
  ///
  /// If it has not changed, the only changes are new entries. Comparing a long history would cost
  /// more than everything else that happens between two requests.
  package var historyRewrites: Int { state.withLock { $0.historyRewrites } }

  /// The window of the model that was last asked, in tokens, or `nil` if it is not known.
  package var contextSize: Int? { state.withLock { $0.window } }

  /// Whether the model that was last asked can be shown images.
  package var seesImages: Bool { state.withLock { $0.seesImages } }

  /// Adds the usage of a turn, and reports it to the session whose code runs this one, if any.
  func add(_ usage: Usage, of source: UsageTally.Source = .session) {
    change(\.usage) { $0.usage += usage }
    // The turn's own tally holds only the usage below it.
    ToolCallContext.tally?.outer?.add(usage, of: source)
  }

  /// Loads what the next request needs, if the model supports it.
  ///
  /// The prefix consists of the profile's current instructions, the transcript and the beginning of
  /// a prompt, at the profile's level of reasoning. Prewarming is best effort: it returns
  /// immediately, and does nothing while the session is responding.
  public func prewarm(promptPrefix: Prompt? = nil) {
    // A turn in progress has already prepared the model, and has exclusive use of the profile.
    guard let prepared = preparing.withLockIfAvailable({ _ in try? prepare(promptPrefix) }),
      let (model, transcript, options) = prepared
    else { return }
    executors.prewarm(model, transcript: transcript, contextOptions: options)
  }

  /// Returns the beginning of a request with the given prompt prefix.
  private func prepare(
    _ prefix: Prompt?
  ) throws -> (any LanguageModel, Transcript, ContextOptions)? {
    guard var transcript = state.withLock({ $0.phase == .idle ? $0.transcript : nil }) else {
      return nil
    }
    let resolved = try resolve()
    transcript.lead(with: instructionsEntry(resolved.instructions))
    if let prefix { transcript.append(.prompt(.init(segments: prefix.segments))) }
    let options = ContextOptions(reasoningLevel: resolved.reasoningLevel)
    return (resolved.model ?? SystemLanguageModel.default, transcript, options)
  }
}

extension LanguageModelSession {
  /// Loads what the next request needs, if the model supports it.
  ///
  /// Apple's article about caching writes the prefix as a string, which FoundationModels itself
  /// accepts only inside a ``Prompt``.
  @_disfavoredOverload
  public func prewarm(promptPrefix: some PromptRepresentable) {
    prewarm(promptPrefix: Prompt(promptPrefix))
  }
}

extension LanguageModelSession {
  /// Whether a failed turn keeps its entries in the transcript, according to the current profile.
  package var preservesTranscriptOnError: Bool {
    let policy = (try? resolve())?.errorPolicy ?? transcriptErrorHandlingPolicy
    return (policy ?? .revertTranscript).kind == .preserve
  }
}
