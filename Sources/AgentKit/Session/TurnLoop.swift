extension LanguageModelSession {
  /// Asks the model, runs the tools that it calls, and asks again until it has answered.
  nonisolated(nonsending) func loop(
    _ start: TurnStart,
    host: some TurnHost,
    watcher: TurnWatcher?,
    check: AnswerCheck?
  ) async throws -> TurnOutcome {
    var turn = TurnProgress(watcher: watcher)
    // First, because which profile answers may depend on it.
    let prompt = try await place(start, host: host)
    let first = try await activeProfile(host: host)
    if let prompt, !isContinuation(of: start) {
      for hook in first.hooks.onPrompt { try await hook(prompt) }
    }
    if case .transcript = start, try await !finishRound(in: &turn, host: host) {
      return turn.outcome(nil, response: nil)
    }
    while true {
      try Task.checkCancellation()
      turn.round += 1
      var resolved = try await activeProfile(host: host)
      // Before anything is admitted that depends on what is left.
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
        try await keep(before, resolved: resolved, in: &turn, host: host)
        try await keep(.response(response), usage: generated.usage, in: &turn, host: host)
        stopGrowing()
        turn.show(answer: generated.answerText ?? "")
        for hook in resolved.hooks.onResponse { try await hook(response) }
        return turn.outcome(turn.answerExit, response: response)
      }
      let (before, calls) = generated.entriesWithCalls()
      try await keep(before, resolved: resolved, in: &turn, host: host)
      try await keep(.toolCalls(calls), usage: generated.usage, in: &turn, host: host)
      stopGrowing()
      turn.show()
      try await run(calls, limits.mode, resolved: resolved, in: &turn, host: host)
      guard await host.continues(after: calls) else {
        return turn.outcome(nil, response: nil)
      }
    }
  }

  /// What the profile comes to now, when everybody has been told who came or went.
  nonisolated(nonsending) private func activeProfile(
    host: some TurnHost
  ) async throws -> ResolvedProfile {
    let resolved = try resolve()
    // An agent's own code must not act on what is not kept yet.
    if acts(on: resolved) { try await host.settle() }
    guard await activate(resolved) else { return resolved }
    // Who was told has perhaps changed what the profile comes to.
    let changed = try resolve()
    await activate(changed)
    return changed
  }

  /// Goes on with the calls that another process has left without outputs.
  /// - Returns: Whether the model is asked again.
  nonisolated(nonsending) private func finishRound(
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws -> Bool {
    let open = transcript.openCalls
    guard !open.isEmpty else { return true }
    let resolved = try resolve()
    let calls = Transcript.ToolCalls(open)
    // Allowed: what the profile says now, perhaps because of them, is about the next request. How these
    // could be made nobody has kept; models are not offered tools that may not be called.
    try await run(
      calls,
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
  /// The plan ends here: it holds the transcript, which would be copied whole by the next entry.
  nonisolated(nonsending) private func ask(
    _ resolved: ResolvedProfile,
    prompt: Transcript.Prompt?,
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws -> (AnswerLimits, GenerationCollector) {
    let plan = try await plan(resolved, prompt: prompt, round: turn.round, host: host)
    let generated = try await generate(plan, turn: turn, host: host)
    turn.capMet = plan.admission.cap(met: generated.usage.output.totalTokenCount)
    return (plan.limits, generated)
  }

  /// Puts the prompt into the transcript, and finds the one that is being answered.
  nonisolated(nonsending) private func place(
    _ start: TurnStart,
    host: some TurnHost
  ) async throws -> Transcript.Prompt? {
    switch start {
    case .prompt(let prompt):
      try await host.record(.prompt(prompt), usage: nil, isAwaited: true)
      append(.prompt(prompt))
      return prompt
    case .transcript:
      for case .prompt(let prompt) in transcript.reversed() { return prompt }
      return nil
    }
  }

  // A baton that is received in the middle of a turn brings no prompt of its own.
  private func isContinuation(of start: TurnStart) -> Bool {
    guard case .transcript = start else { return false }
    if case .prompt = transcript.last { return false }
    return true
  }

  /// Keeps what came before an answer or before calls: thoughts, and text beside calls.
  nonisolated(nonsending) private func keep(
    _ entries: [Transcript.Entry],
    resolved: ResolvedProfile,
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws {
    for entry in entries {
      let hooks = resolved.hooks.onReasoning
      let isSeen = if case .reasoning = entry { !hooks.isEmpty } else { false }
      // Where no hook sees it, what follows is the answer or the calls, and those are awaited.
      try await keep(entry, usage: nil, isAwaited: isSeen, in: &turn, host: host)
      guard case .reasoning(let reasoning) = entry else { continue }
      for hook in hooks { try await hook(reasoning) }
    }
  }

  nonisolated(nonsending) private func keep(
    _ entry: Transcript.Entry,
    usage: Usage?,
    isAwaited: Bool = true,
    in turn: inout TurnProgress,
    host: some TurnHost
  ) async throws {
    try await host.record(entry, usage: usage, isAwaited: isAwaited)
    append(entry)
    turn.entries.append(entry)
  }

  nonisolated(nonsending) private func run(
    _ calls: Transcript.ToolCalls,
    _ mode: GenerationOptions.ToolCallingMode.Kind,
    resolved: ResolvedProfile,
    in turn: inout TurnProgress,
    host: some TurnHost,
    progress: ((Transcript.ToolCall) -> CallProgress)? = nil
  ) async throws {
    // A model that calls what it was not offered is told that there is no such tool.
    let tools = mode == .disallowed ? [] : resolved.instructions.tools
    let round = ToolRound(
      tools: tools,
      resolved: resolved,
      approve: host.approve,
      values: properties
    )
    let (admitted, repeated) =
      if progress != nil {
        (calls.count, Set<String>())
      } else {
        try await (host.admit(calls), host.repeated(in: calls))
      }
    let tallies = calls.map { _ in UsageTally() }
    func output(_ place: Int, _ segments: [Transcript.Segment]) -> Transcript.ToolOutput {
      .init(id: calls[place].id, toolName: calls[place].toolName, segments: segments)
    }
    var failure: (any Swift.Error)?
    // What tools used of models by themselves, where no output says it.
    var untold = Usage()
    do {
      try await round.run(
        calls,
        admitted: admitted,
        repeated: repeated,
        tallies: tallies,
        progress: progress ?? { _ in .notRun },
        keepEarly: { try await host.keepEarly(output($0, $1)) }
      ) { place, result in
        // Of friends the host knows; of what a tool asks by itself it hears only here.
        let (own, untoldBefore) = (count(tallies[place], in: &turn), untold)
        untold += own
        switch result {
        case .threw(let error): failure = failure ?? error
        case .returned(let segments), .told(let segments):
          let output = output(place, segments)
          try await keep(
            .toolOutput(output),
            usage: own.totalTokenCount > 0 ? own : nil,
            isAwaited: !resolved.hooks.onToolOutput.isEmpty,
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
      // What could not be kept ends the turn first; what its calls used is used all the same.
      failure = error
      for tally in tallies { untold += count(tally, in: &turn) }
    }
    if untold.totalTokenCount > 0 { try? await host.count(untold) }
    // What other calls of the round returned is kept before a tool or a hook that threw ends the
    // turn: the tools have run, and nothing may make them run again.
    if let failure { throw failure }
  }

  /// Counts what was used below a call, once.
  /// - Returns: What of it sessions have used that the tool runs.
  private func count(_ tally: UsageTally, in turn: inout TurnProgress) -> Usage {
    let (ofFriends, own) = (tally.take(.friend), tally.take(.session))
    if ofFriends.totalTokenCount > 0 { add(ofFriends, of: .friend) }
    if own.totalTokenCount > 0 { add(own) }
    turn.usage += ofFriends
    turn.usage += own
    return own
  }
}

/// Throws when whoever asked can make nothing of an answer; the turn fails then.
typealias AnswerCheck = @Sendable (Transcript.Response) throws -> Void

/// What a turn has come to so far.
struct TurnProgress {
  let watcher: TurnWatcher?
  var round = 0
  var modes: [GenerationOptions.ToolCallingMode.Kind] = []
  var entries: [Transcript.Entry] = []
  var usage = LanguageModelSession.Usage()
  /// The cap that the last request has met.
  var capMet: String?

  init(watcher: TurnWatcher?) {
    self.watcher = watcher
  }

  /// Shows how far the turn has come to whoever streams it.
  func show(_ generated: GenerationCollector? = nil) {
    guard let watcher else { return }
    var usage = usage
    if let generated { usage += generated.usage }
    watcher.see(
      .init(
        answer: generated?.answerText ?? "",
        isWhole: false,
        entries: (entries + (generated?.entries ?? []))[...],
        usage: usage
      )
    )
  }

  /// Shows the whole of the answer, whose entries are kept.
  func show(answer: String) {
    watcher?.see(.init(answer: answer, isWhole: true, entries: entries[...], usage: usage))
  }

  /// Why a turn ends that ends in an answer.
  var answerExit: TurnExit {
    if let capMet { return .cap(capMet) }
    // An answer is an exit of a required loop only because the mode changed on the way.
    return modes.last != .required && modes.contains(.required) ? .modeChanged : .answered
  }

  func outcome(_ exit: TurnExit?, response: Transcript.Response?) -> TurnOutcome {
    TurnOutcome(exit: exit, response: response, entries: entries[...], usage: usage)
  }
}
