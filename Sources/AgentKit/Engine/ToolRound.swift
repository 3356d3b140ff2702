/// Runs the calls of one round concurrently, with results in the order of the calls.
///
/// A result is delivered as soon as it and all earlier ones are available, while later calls still
/// run. If earlier ones are missing, it is delivered early: while the round waits for a person or a
/// slow friend, what a tool has done must not be lost with the process.
///
/// The calls that the client performs are handed to it together, when all others have returned: it
/// may take any time to answer.
struct ToolRound {
  enum Result: Sendable {
    case returned([Transcript.Segment])
    /// No tool returned, and the model is told why.
    case told([Transcript.Segment])
    case threw(any Error)
  }

  typealias Approve = @Sendable (Transcript.ToolCall) async throws -> Approval
  typealias PerformByClient =
    @Sendable ([Transcript.ToolCall]) async throws -> [String: [Transcript.Segment]]

  let tools: [any Tool]
  let resolved: ResolvedProfile
  let approve: Approve
  let performByClient: PerformByClient
  let values: SessionPropertyValues

  /// Runs the calls.
  ///
  /// - Parameters:
  ///   - admitted: Which of the calls may be made.
  ///   - tallies: The tallies that count the usage below each call.
  ///   - progress: How far a call had come in another process, for a resumed round.
  ///   - recordEarly: Stores what a call returned while earlier ones still run; `record` receives it
  ///     again.
  ///   - record: Receives the results in the order of the calls. If it throws, running calls are
  ///     cancelled and their results are discarded.
  /// - Throws: `ToolCallError` if a hook throws, in which case no tool runs; the errors of
  ///   `record` and `recordEarly`.
  func run(
    _ calls: Transcript.ToolCalls,
    admitted: AdmittedCalls,
    tallies: [UsageTally],
    progress: (Transcript.ToolCall) -> CallProgress = { _ in .notRun },
    isolation: isolated (any Actor)? = #isolation,
    recordEarly: nonisolated(nonsending) (Int, [Transcript.Segment]) async throws -> Void,
    record: nonisolated(nonsending) (Int, Result) async throws -> Void
  ) async throws {
    var results = [Result?](repeating: nil, count: calls.count)
    var planned: [(index: Int, plan: PlannedCall)] = []
    for (index, call) in calls.enumerated() {
      let progress = progress(call)
      if index >= admitted.count || progress == .refused {
        results[index] = Self.told(.capReached, call, Self.capped)
        continue
      }
      let tool = tools.first { $0.name == call.toolName }
      if case .returned(let segments) = progress {
        results[index] = .returned(segments)
        continue
      }
      if progress == .repeated || admitted.repeated.contains(index) {
        results[index] = Self.told(.repeated, call, Self.circles)
        continue
      }
      // This holds even if the tool no longer exists: it did when it was called.
      if progress == .perhapsRun, tool?.isIdempotent != true {
        results[index] = Self.told(.unknown, call, Self.lost)
      } else if let rejection = try await rejection(of: call, tool) {
        results[index] = Self.told(.rejected, call, rejection.reason)
      } else if let tool {
        let approve = needsApproval(call, tool) ? approve : nil
        let plan = PlannedCall(call: call, tool: tool, approve: approve, tally: tallies[index])
        planned.append((index, plan))
      } else {
        results[index] = Self.told(noSuchTool(call.toolName))
      }
    }
    var forClient: [Int] = []
    if calls.count == 1, let only = planned.first {
      // Most rounds have one call, which needs no task of its own.
      if let result = await Self.run(only.plan, in: values) { return try await record(0, result) }
      (planned, forClient) = ([], [0])
    }
    func isAlone(_ call: Transcript.ToolCall) -> Bool { calls.count { $0.id == call.id } == 1 }
    try await withThrowingTaskGroup(of: (Int, Result?).self) { group in
      // Without naming it, the closure would run outside of the caller's actor, and hooks with it.
      _ = isolation
      for (index, plan) in planned {
        group.addTask { [values] in (index, await Self.run(plan, in: values)) }
      }
      var recorded = 0
      while true {
        while recorded < results.count, let result = results[recorded] {
          try await record(recorded, result)
          recorded += 1
        }
        guard let (index, outcome) = try await group.next() else {
          guard !forClient.isEmpty else { return }
          for (index, result) in await performedByClient(forClient.sorted(), of: calls) {
            results[index] = result
          }
          forClient = []
          continue
        }
        guard let result = outcome else {
          forClient.append(index)
          continue
        }
        results[index] = result
        // An early result is matched by its call's identity, which the model may have given to
        // another call.
        if index > recorded, case .returned(let segments) = result, isAlone(calls[index]) {
          try await recordEarly(index, segments)
        }
      }
    }
  }

  /// Has the client perform calls.
  ///
  /// - Parameter places: The places of the calls in the round.
  nonisolated(nonsending) private func performedByClient(
    _ places: [Int],
    of calls: Transcript.ToolCalls
  ) async -> [(Int, Result)] {
    var ids: Set<String> = []
    // The client tells calls apart by their identities.
    let first = places.filter { ids.insert(calls[$0].id).inserted }
    let outputs: [String: [Transcript.Segment]]
    do {
      outputs = try await performByClient(first.map { calls[$0] })
    } catch {
      return places.map { ($0, .threw(error)) }
    }
    return places.map { place in
      let call = calls[place]
      guard first.contains(place), let output = outputs[call.id] else {
        return (place, Self.told(.rejected, call, "Another call of the round has its identity."))
      }
      return (place, .returned(EntryLimit.fitted(output, of: call)))
    }
  }

  /// A call that will be made.
  private struct PlannedCall: Sendable {
    let call: Transcript.ToolCall
    let tool: any Tool
    /// The approval to request first, or `nil` if none is needed.
    let approve: Approve?
    let tally: UsageTally
  }

  /// Runs a call.
  /// - Returns: Its result; `nil` if the client is to perform it.
  @concurrent private static func run(
    _ planned: PlannedCall,
    in values: SessionPropertyValues
  ) async -> Result? {
    await ToolCallContext.$tally.withValue(planned.tally) {
      await run(planned.call, with: planned.tool, planned.approve, in: values)
    }
  }

  private static let capped = "It was not called: the cap on calls is reached."

  private static let circles =
    "It was not called again: it has returned the same each time it was called like this. Use what"
    + " it has returned, or do something else."

  /// Passes a call to the hooks, and returns the first rejection.
  nonisolated(nonsending) private func rejection(
    of call: Transcript.ToolCall,
    _ tool: (any Tool)?
  ) async throws -> ToolCallRejection? {
    do {
      for hook in resolved.hooks.onToolCall { try await hook(call) }
      return nil
    } catch let rejection as ToolCallRejection {
      return rejection
    } catch {
      guard let tool else { throw error }
      throw Self.wrapped(error, of: tool, in: values)
    }
  }

  private func noSuchTool(_ name: String) -> String {
    let known = tools.map(\.name).joined(separator: ", ")
    return "There is no tool named '\(name)'. "
      + (known.isEmpty ? "No tool can be called." : "Available tools: \(known).")
  }

  private func needsApproval(_ call: Transcript.ToolCall, _ tool: any Tool) -> Bool {
    tool.requiresApproval || resolved.approvals.contains { $0(call) }
  }

  /// Runs one call, or prepares one that the client performs, for which it returns `nil`.
  ///
  /// The model is told of a call that it got wrong, and can try again; a tool that throws ends the
  /// turn.
  private static func run(
    _ call: Transcript.ToolCall,
    with tool: any Tool,
    _ approve: Approve?,
    in values: SessionPropertyValues
  ) async -> Result? {
    guard call.arguments.isComplete else {
      let problem = "The arguments of '\(call.toolName)' are not complete JSON."
      return told(problem + written(call))
    }
    let scope = SessionScope(values, .tool(tool.name))
    // The host of the outermost session knows only the calls of that session.
    return await ToolCallContext.$call.withValue(ToolCallContext.call ?? call) {
      do {
        let function = tool as? ClientFunction
        try function?.check(call.arguments)
        if let approve, case .denied(let reason) = try await approve(call) {
          return told(.denied, call, reason)
        }
        if function != nil { return nil }
        let output = try await SessionScope.$current.withValue(scope) {
          try await tool.call(content: call.arguments)
        }
        try scope.check()
        return .returned(EntryLimit.fitted(output, of: call))
      } catch let rejection as ToolCallRejection {
        return told(.rejected, call, rejection.reason)
      } catch let error as UnreadableArguments {
        let problem = "The arguments of '\(call.toolName)' do not fit: \(error.problem)"
        return told(problem + written(call))
      } catch {
        return .threw(wrapped(error, of: tool, in: values))
      }
    }
  }

  /// Quotes arguments that are no object: the model is shown them as an empty one.
  private static func written(_ call: Transcript.ToolCall) -> String {
    switch call.arguments.kind {
    case .structure: ""
    case .string(let text): " You wrote: \(text.prefix(quoted))"
    case .null, .bool, .number, .array: " You wrote: \(call.arguments.jsonString.prefix(quoted))"
    }
  }

  /// The most characters that are quoted of arguments.
  private static let quoted = 400

  private static let lost =
    "The tool's process ended before its output was saved. It may or may not have run, and it was"
    + " not run again. Find out what it did before you call it again."

  private static func told(_ problem: String) -> Result {
    .told([.text(.init(content: problem))])
  }

  private static func told(
    _ status: ToolCallNotice.Status,
    _ call: Transcript.ToolCall,
    _ reason: String
  ) -> Result {
    .told([ToolCallNotice(status: status, tool: call.toolName, reason: reason).segment])
  }

  private static func wrapped(
    _ error: any Error,
    of tool: any Tool,
    in values: SessionPropertyValues
  ) -> any Error {
    if error is CancellationError, Task.isCancelled { return error }
    var wrapped = LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
    wrapped.session = ObjectIdentifier(values)
    return wrapped
  }
}

package enum ToolCallContext {
  /// The call that a tool's code is answering; of nested sessions, that of the outermost.
  @TaskLocal package static var call: Transcript.ToolCall?
  /// The tally to which code reports its usage of models.
  ///
  /// A tool reports to its call's tally; hooks and transforms report to their turn's.
  @TaskLocal static var tally: UsageTally?
}
