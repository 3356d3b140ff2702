/// A tool that hands the conversation to another agent, which answers in the same turn.
///
/// The other agent sees the whole transcript. The output of the tool is the last thing that it reads
/// before it answers, so it is a briefing and not an "ok".
///
/// In a session that another tool runs it passes the baton of the agent, when the round of that tool is
/// over. A session that a hook runs has none to pass, and the output says so.
public struct PassBaton: Tool {
  /// The name by which the model calls it.
  public let name: String
  /// What it does, in words for the model.
  public let description: String
  /// The agents that the baton can be passed to.
  package let agents: [String]
  private let briefing: @Sendable (String) -> String

  /// Makes a tool that passes the baton to one of several agents.
  /// - Parameters:
  ///   - agents: The names of the agents.
  ///   - name: The name by which the model calls the tool.
  ///   - description: What the tool does, in words for the model.
  ///   - briefing: What the receiver reads, made from its name.
  public init(
    to agents: String...,
    name: String = "pass_baton",
    description: String = "Give control to a different agent.",
    briefing: @escaping @Sendable (String) -> String = { "The baton is now with \($0)." }
  ) {
    self.agents = agents
    self.name = name
    self.description = description
    self.briefing = briefing
  }

  /// One argument: which of the agents.
  public var parameters: GenerationSchema {
    GenerationSchema(
      name: name,
      shape: .object([
        .init(name: "to", type: String.self, guides: [.anyOf(agents)])
      ])
    )
  }

  /// The coordinator knows by the call whether the baton was passed.
  public var isIdempotent: Bool { true }

  /// Passes the baton.
  ///
  /// An agent that cannot take it, because the conversation is too long for its window or its worker
  /// cannot be started, leaves it where it is, and the output says why.
  @concurrent public func call(arguments: sending GeneratedContent) async throws -> Prompt {
    guard let orchestration = OrchestrationContext.current else {
      throw NotOrchestrated(tool: name)
    }
    let agent = try arguments.argument("to")
    guard agents.contains(agent) else {
      let known = agents.joined(separator: ", ")
      return Prompt("There is no agent '\(agent)' to pass the baton to. There are: \(known).")
    }
    let answer = try await orchestration.passBaton(to: agent)
    if let refusal = answer.refusal {
      return Prompt(segments: [
        ToolCallNotice(status: .failed, tool: name, reason: refusal).segment
      ])
    }
    return Prompt(briefing(answer.holder))
  }
}
