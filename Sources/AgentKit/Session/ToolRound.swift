/// Runs the calls of one round: all at the same time, results in the order of the calls.
struct ToolRound {
  enum Result: Sendable {
    case returned([Transcript.Segment])
    case threw(any Error)
  }

  let tools: [any Tool]
  let hooks: ProfileHooks

  /// - Throws: `ToolCallError` when a hook refuses a call; then no tool runs.
  nonisolated(nonsending) func run(
    _ calls: Transcript.ToolCalls,
    admitted: Int
  ) async throws -> [Result] {
    let admitted = calls.prefix(max(0, admitted))
    for call in admitted {
      do {
        for hook in hooks.onToolCall { try await hook(call) }
      } catch {
        throw wrapped(error, of: tool(named: call.toolName))
      }
    }
    let planned = admitted.map { (call: $0, tool: tool(named: $0.toolName)) }
    return await withTaskGroup(of: (Int, Result).self) { group in
      for (index, plan) in planned.enumerated() {
        group.addTask { (index, await Self.run(plan.call, with: plan.tool)) }
      }
      var results = calls.map { call in
        Self.told("'\(call.toolName)' was not called: the cap on calls is reached.")
      }
      for await (index, result) in group { results[index] = result }
      return results
    }
  }

  private func tool(named name: String) -> (any Tool)? {
    tools.first { $0.name == name }
  }

  private func wrapped(_ error: any Error, of tool: (any Tool)?) -> any Error {
    guard let tool else { return error }
    return Self.wrapped(error, of: tool)
  }

  /// A call that the model got wrong is told to the model, which can try again; a tool that throws
  /// ends the turn.
  @concurrent private static func run(
    _ call: Transcript.ToolCall,
    with tool: (any Tool)?
  ) async -> Result {
    guard let tool else {
      return told("There is no tool named '\(call.toolName)'.")
    }
    guard call.arguments.isComplete else {
      return told("The arguments of '\(call.toolName)' are not whole JSON.")
    }
    return await ToolCallContext.$call.withValue(call) {
      do {
        return .returned(try await tool.call(content: call.arguments))
      } catch let error as UnreadableArguments {
        return told("The arguments of '\(call.toolName)' do not fit: \(error.problem)")
      } catch {
        return .threw(wrapped(error, of: tool))
      }
    }
  }

  private static func told(_ problem: String) -> Result {
    .returned([.text(.init(content: problem))])
  }

  private static func wrapped(_ error: any Error, of tool: any Tool) -> any Error {
    if error is CancellationError, Task.isCancelled { return error }
    return LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
  }
}

/// Which call the code of a tool is answering.
package enum ToolCallContext {
  @TaskLocal package static var call: Transcript.ToolCall?
}
