/// Runs the calls of one round: all at the same time, results in the order of the calls.
///
/// A result is handed over as soon as it and those before it are there, while later calls still run, and
/// ahead of its turn where those before it are not: what a tool has done must not be forgotten with the
/// process while a person, or a slow friend, is waited for.
struct ToolRound {
  enum Result: Sendable {
    case returned([Transcript.Segment])
    /// No tool has returned: the model is told why.
    case told([Transcript.Segment])
    case threw(any Error)
  }

  typealias Approve = @Sendable (Transcript.ToolCall) async throws -> Approval

  let tools: [any Tool]
  let resolved: ResolvedProfile
  let approve: Approve
  let values: SessionPropertyValues

  /// - Parameters:
  ///   - tallies: Where each call counts what is used below it.
  ///   - progress: How far a call had come in another process, for a round that goes on.
  ///   - keepEarly: Takes what a call has returned while those before it run; `keep` takes it again.
  ///   - keep: Takes the results in the order of the calls. Where it throws, calls that still run are
  ///     cancelled, and what they return is nobody's.
  /// - Throws: `ToolCallError` when a hook throws; then no tool runs. What `keep` and `keepEarly` throw.
  nonisolated(nonsending) func run(
    _ calls: Transcript.ToolCalls,
    admitted: Int,
    repeated: Set<String> = [],
    tallies: [UsageTally],
    progress: (Transcript.ToolCall) -> CallProgress = { _ in .notRun },
    keepEarly: nonisolated(nonsending) (Int, [Transcript.Segment]) async throws -> Void,
    keep: nonisolated(nonsending) (Int, Result) async throws -> Void
  ) async throws {
    var results: [Result?] = calls.map { call in
      Self.told(.capReached, call, "It was not called: the cap on calls is reached.")
    }
    var planned: [(index: Int, plan: PlannedCall)] = []
    for (index, call) in calls.prefix(max(0, admitted)).enumerated() {
      let tool = tools.first { $0.name == call.toolName }
      let progress = progress(call)
      if progress == .refused { continue }
      if case .returned(let segments) = progress {
        results[index] = .returned(segments)
        continue
      }
      if progress == .repeated || repeated.contains(call.id) {
        results[index] = Self.told(.repeated, call, Self.circles)
        continue
      }
      // Also where there is no such tool any more: there was one when it was called.
      if progress == .perhapsRun, tool?.isIdempotent != true {
        results[index] = Self.told(.unknown, call, Self.lost)
      } else if let rejection = try await rejection(of: call, tool) {
        results[index] = Self.told(.rejected, call, rejection.reason)
      } else {
        let approve = needsApproval(call, tool) ? approve : nil
        let plan = PlannedCall(call: call, tool: tool, approve: approve, tally: tallies[index])
        planned.append((index, plan))
        results[index] = nil
      }
    }
    if calls.count == 1, let only = planned.first {
      // Most rounds have one call, which needs no task of its own.
      return try await keep(0, Self.run(only.plan, in: values))
    }
    func isAlone(_ call: Transcript.ToolCall) -> Bool { calls.count { $0.id == call.id } == 1 }
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      for (index, plan) in planned {
        group.addTask { [values] in (index, await Self.run(plan, in: values)) }
      }
      var kept = 0
      while true {
        while kept < results.count, let result = results[kept] {
          try await keep(kept, result)
          kept += 1
        }
        guard let (index, result) = try await group.next() else { return }
        results[index] = result
        // By its identity it is known again, which a model may have given to another call, too.
        if index > kept, case .returned(let segments) = result, isAlone(calls[index]) {
          try await keepEarly(index, segments)
        }
      }
    }
  }

  /// A call that is made.
  private struct PlannedCall: Sendable {
    let call: Transcript.ToolCall
    let tool: (any Tool)?
    /// Whom to ask first; `nil` where nobody need be asked.
    let approve: Approve?
    let tally: UsageTally
  }

  @concurrent private static func run(
    _ planned: PlannedCall,
    in values: SessionPropertyValues
  ) async -> Result {
    await ToolCallContext.$tally.withValue(planned.tally) {
      await run(planned.call, with: planned.tool, planned.approve, in: values)
    }
  }

  private static let circles =
    "It was not called again: it has returned the same each time it was called like this. Use what"
    + " it has returned, or do something else."

  /// Lets the hooks see a call; returns the refusal of the first that refuses it.
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

  private func needsApproval(_ call: Transcript.ToolCall, _ tool: (any Tool)?) -> Bool {
    guard let tool else { return false }
    return tool.requiresApproval || resolved.approvals.contains { $0(call) }
  }

  /// A call that the model got wrong is told to the model, which can try again; a tool that throws
  /// ends the turn.
  private static func run(
    _ call: Transcript.ToolCall,
    with tool: (any Tool)?,
    _ approve: Approve?,
    in values: SessionPropertyValues
  ) async -> Result {
    guard let tool else {
      return told("There is no tool named '\(call.toolName)'.")
    }
    guard call.arguments.isComplete else {
      return told("The arguments of '\(call.toolName)' are not complete JSON.")
    }
    let scope = SessionScope(values, .tool(tool.name))
    // What runs the outermost session knows its calls, and no other's.
    return await ToolCallContext.$call.withValue(ToolCallContext.call ?? call) {
      do {
        if let approve, case .denied(let reason) = try await approve(call) {
          return told(.denied, call, reason)
        }
        let output = try await SessionScope.$current.withValue(scope) {
          try await tool.call(content: call.arguments)
        }
        try scope.check()
        return .returned(EntryLimit.fitted(output, of: call))
      } catch let rejection as ToolCallRejection {
        return told(.rejected, call, rejection.reason)
      } catch let error as UnreadableArguments {
        return told("The arguments of '\(call.toolName)' do not fit: \(error.problem)")
      } catch {
        return .threw(wrapped(error, of: tool, in: values))
      }
    }
  }

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
  /// Which call the code of a tool is answering: of several sessions, one in a tool of another, that of
  /// the outermost.
  @TaskLocal package static var call: Transcript.ToolCall?
  /// Where the code says what it has used of models: that of a tool to its call, that of hooks and
  /// transforms to their turn.
  @TaskLocal static var tally: UsageTally?
}
