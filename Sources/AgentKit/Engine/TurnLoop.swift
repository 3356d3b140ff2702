extension LanguageModelSession {
  /// Asks the model, runs the tools that it calls, and asks again until it has answered.
  nonisolated(nonsending) func loop(
    _ start: TurnStart,
    host: some TurnHost,
    watcher: TurnWatcher?,
    check: AnswerCheck?
  ) async throws -> TurnOutcome {
    var turn = TurnProgress(watcher: watcher)
    // The prompt comes first, because it may determine which profile answers.
    let prompt = try await place(start, host: host)
    // Hooks may rewrite the history from here on, and the outputs are expected all the same.
    let open = host.callsToFinish(in: transcript)
    let first = try await activeProfile(host: host)
    // A prompt whose calls are open is not new, even where the history ends with it again.
    if let prompt, open.isEmpty, !isContinuation(of: start) {
      for hook in first.hooks.onPrompt { try await hook(prompt) }
    }
    if case .transcript = start, try await !finish(open, in: &turn, host: host) {
      return turn.outcome(nil, response: nil)
    }
    while true {
      try Task.checkCancellation()
      var resolved = try await activeProfile(host: host)
      // Usage is counted before anything is admitted that depends on the remaining budget.
      turn.usage += try await countUsageBelow(host: host)
      try await fit(&resolved, prompt: prompt, host: host)
      let (limits, generated) = try await ask(resolved, prompt: prompt, in: &turn, host: host)
      turn.modes.append(limits.mode)
      turn.usage += generated.usage
      add(generated.usage)

      guard generated.hasCalls else {
        var (before, response) = try generated.entriesWithAnswer()
        if turn.capMet == nil { response.cut = response.cut ?? limits.bound(leftEmpty: generated) }
        turn.capMet = turn.capMet ?? response.cut
        try check?(response)
        try await record(
          before,
          then: .response(response),
          usage: generated.usage,
          resolved: resolved,
          in: &turn,
          host: host
        )
        stopGrowing()
        turn.show(answer: response)
        for hook in resolved.hooks.onResponse { try await hook(response) }
        return turn.outcome(turn.answerExit, response: response)
      }
      let (before, calls) = generated.entriesWithCalls()
      let admitted = try await record(
        before,
        then: .toolCalls(calls),
        usage: generated.usage,
        resolved: resolved,
        in: &turn,
        host: host
      )
      stopGrowing()
      turn.show()
      try await run(calls, admitted, limits.mode, resolved: resolved, in: &turn, host: host)
      guard await host.continues(after: calls) else {
        return turn.outcome(nil, response: nil)
      }
    }
  }

  /// Returns the resolved profile after all activation hooks have run.
  nonisolated(nonsending) private func activeProfile(
    host: some TurnHost
  ) async throws -> ResolvedProfile {
    let resolved = try resolve(for: host)
    guard await activate(resolved) else { return resolved }
    // The hooks may have changed the result of resolving the profile.
    let changed = try resolve(for: host)
    await activate(changed)
    return changed
  }

  /// Resumes the calls that another process left without outputs.
  /// - Returns: Whether the model is asked again.
  nonisolated(nonsending) private func finish(
    _ open: [Transcript.ToolCall],
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws -> Bool {
    guard !open.isEmpty else { return true }
    let resolved = try resolve(for: host)
    let calls = Transcript.ToolCalls(open)
    // The mode is `allowed`: the profile's current mode, perhaps set because of these calls,
    // applies to the next request. The mode of these calls is not recorded, but models are not
    // offered tools that they may not call.
    try await run(
      calls,
      .all,
      .allowed,
      resolved: resolved,
      in: &turn,
      host: host,
      progress: host.progress
    )
    return await host.continues(after: calls)
  }

  /// Plans one request and makes it.
  ///
  /// The plan is released here: it holds the transcript, which the next entry would copy in full.
  nonisolated(nonsending) private func ask(
    _ resolved: ResolvedProfile,
    prompt: Transcript.Prompt?,
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws -> (AnswerLimits, GenerationCollector) {
    let plan = try await plan(resolved, prompt: prompt, host: host)
    let generated = try await generate(plan, turn: turn, host: host)
    turn.capMet = plan.admission.cap(met: generated.usage.output.totalTokenCount)
    return (plan.limits, generated)
  }

  /// Puts the prompt into the transcript, and returns the one to be answered.
  nonisolated(nonsending) private func place(
    _ start: TurnStart,
    host: some TurnHost
  ) async throws -> Transcript.Prompt? {
    switch start {
    case .prompt(let prompt):
      try await host.record([.prompt(prompt)], usage: nil)
      append(.prompt(prompt))
      return prompt
    case .transcript:
      var found: Transcript.Prompt?
      for case .prompt(let prompt) in transcript.reversed() {
        found = prompt
        break
      }
      guard let options = host.options else { return found }
      // Of an earlier turn, where an agent has rewritten the history: its options do not apply.
      return options.applied(to: found ?? Transcript.Prompt(segments: []))
    }
  }

  // A baton received in the middle of a turn brings no prompt of its own.
  private func isContinuation(of start: TurnStart) -> Bool {
    guard case .transcript = start else { return false }
    if case .prompt = transcript.last { return false }
    return true
  }

  /// Records what one request has generated: reasoning, and text alongside calls, before the answer
  /// or the calls.
  ///
  /// All of it is recorded together, except that hooks see only reasoning that is stored.
  ///
  /// - Returns: Which of the calls may be made.
  @discardableResult
  nonisolated(nonsending) private func record(
    _ before: [Transcript.Entry],
    then last: Transcript.Entry,
    usage: Usage,
    resolved: ResolvedProfile,
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws -> AdmittedCalls {
    let hooks = resolved.hooks.onReasoning
    var entries: [Transcript.Entry] = []
    for entry in before {
      entries.append(entry)
      guard case .reasoning(let reasoning) = entry, !hooks.isEmpty else { continue }
      try await record(entries, usage: nil, in: &turn, host: host)
      entries = []
      for hook in hooks { try await hook(reasoning) }
    }
    return try await record(entries + [last], usage: usage, in: &turn, host: host)
  }

  @discardableResult
  nonisolated(nonsending) private func record(
    _ entries: [Transcript.Entry],
    usage: Usage?,
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws -> AdmittedCalls {
    let admitted = try await host.record(entries, usage: usage)
    for entry in entries { append(entry) }
    turn.entries += entries
    return admitted
  }

  nonisolated(nonsending) private func run(
    _ calls: Transcript.ToolCalls,
    _ admitted: AdmittedCalls,
    _ mode: GenerationOptions.ToolCallingMode.Kind,
    resolved: ResolvedProfile,
    in turn: inout TurnProgress,
    host: some TurnHost,
    progress: (Transcript.ToolCall) -> CallProgress = { _ in .notRun }
  ) async throws {
    // A model that calls a tool it was not offered is told that there is no such tool.
    let tools = mode == .disallowed ? [] : resolved.instructions.tools
    let round = ToolRound(
      tools: tools,
      resolved: resolved,
      approve: host.approve,
      performByClient: host.performByClient,
      values: properties
    )
    let tallies = calls.map { _ in UsageTally() }
    func output(_ place: Int, _ segments: [Transcript.Segment]) -> Transcript.ToolOutput {
      .init(id: calls[place].id, toolName: calls[place].toolName, segments: segments)
    }
    var failure: (any Swift.Error)?
    // The usage of tools' own sessions that no output reports.
    var untold = Usage()
    do {
      try await round.run(
        calls,
        admitted: admitted,
        tallies: tallies,
        progress: progress,
        recordEarly: { try await host.recordEarly(output($0, $1)) }
      ) { place, result in
        // The host already knows the usage of friends, but learns of tools' own sessions only here.
        let (own, untoldBefore) = (count(tallies[place], in: &turn), untold)
        untold += own
        switch result {
        case .threw(let error): failure = failure ?? error
        case .returned(let segments), .told(let segments):
          let output = output(place, segments)
          try await record(
            [.toolOutput(output)],
            usage: own.totalTokenCount > 0 ? own : nil,
            in: &turn,
            host: host
          )
          untold = untoldBefore
          turn.show()
          guard failure == nil, case .returned = result else { return }
          do {
            for hook in resolved.hooks.onToolOutput { try await hook((calls[place], output)) }
          } catch {
            failure = error
          }
        }
      }
    } catch {
      // What could not be recorded ends the turn first; the usage of its calls counts all the same.
      failure = error
      for tally in tallies { untold += count(tally, in: &turn) }
    }
    // It was used by a call that threw or could not be recorded, and that error ends the turn.
    if untold.totalTokenCount > 0 { try? await host.count(untold) }
    // The other results of the round are recorded before a tool or hook that threw ends the turn:
    // those tools have run, and must not run again.
    if let failure { throw failure }
  }

  /// Counts the usage below a call once.
  /// - Returns: The part of it that belongs to sessions that the tool runs.
  private func count(_ tally: UsageTally, in turn: inout TurnProgress) -> Usage {
    let (ofFriends, own) = (tally.take(.friend), tally.take(.session))
    if ofFriends.totalTokenCount > 0 { add(ofFriends, of: .friend) }
    if own.totalTokenCount > 0 { add(own) }
    turn.usage += ofFriends
    turn.usage += own
    return own
  }
}

/// A check that throws if the caller cannot use the answer; the turn then fails.
typealias AnswerCheck = @Sendable (Transcript.Response) throws -> Void
