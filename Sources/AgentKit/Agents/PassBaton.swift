/// A tool that hands the conversation to another agent, which answers in the same turn.
///
/// The other agent sees the whole transcript. The tool's output is the last thing it reads before
/// it answers, so the output is a briefing, not an "ok".
///
/// In a session that another tool runs, the tool passes the agent's baton once that tool's round is
/// over. A session that a hook runs has no baton to pass, and the output says so.
///
/// ```swift
/// struct Host: Agent {
///   let name = "host"
///   let description = "finds out what a person wants"
///
///   var body: some DynamicProfile {
///     Profile {
///       Instructions("Ask what the person wants to fold, then pass the baton.")
///       PassBaton(to: "tutor") { "You are \($0). The person has chosen a figure: explain the folds." }
///     }
///   }
/// }
/// ```
public struct PassBaton: Tool {
  /// The name by which the model calls the tool.
  public let name: String
  /// What the tool does, in words for the model.
  public let description: String
  package let agents: [String]
  private let briefing: @Sendable (String) -> String

  /// Creates a tool that passes the baton to one of several agents.
  ///
  /// - Parameters:
  ///   - agents: The names of the agents.
  ///   - name: The name by which the model calls the tool.
  ///   - description: What the tool does, in words for the model.
  ///   - briefing: A closure that returns what the receiver reads, given the receiver's name.
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

  /// The tool's one argument: the agent to pass the baton to.
  public var parameters: GenerationSchema {
    GenerationSchema(
      name: name,
      properties: [.init(name: "to", type: String.self, guides: [.anyOf(agents)])]
    )
  }

  /// Always `true`: the coordinator can tell from the call whether the baton was passed.
  public var isIdempotent: Bool { true }

  /// Passes the baton.
  ///
  /// If the agent cannot take it, because the conversation is too long for its window or its worker
  /// cannot start, the baton stays where it is and the output says why.
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
