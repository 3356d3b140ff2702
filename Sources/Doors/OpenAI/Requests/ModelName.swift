import Coordinator

/// What the `model` of a request names: an agent, or the one that begins sessions.
struct ModelName: Hashable, Sendable {
  /// The model that stands for the agent that begins sessions.
  static let beginner = "orchestrator"
  /// What follows a name to ask for an answer without tools, in a session that is not kept.
  ///
  /// Clients that ask a model for titles and tags beside the chat take it for their tasks.
  private static let plainSuffix = "/plain"

  let text: String
  /// The agent; `nil` for the one that begins sessions.
  let agent: String?
  let isPlain: Bool

  init(_ text: String) {
    self.text = text
    isPlain = text.hasSuffix(Self.plainSuffix)
    let name = isPlain ? String(text.dropLast(Self.plainSuffix.count)) : text
    agent = name == Self.beginner ? nil : name
  }

  /// The models of these agents: the one that begins sessions, its plain variant, and all by name.
  static func all(of agents: [AgentSummary]) -> [(name: ModelName, agent: AgentSummary)] {
    let beginner = agents.first(where: \.isBeginner).map { agent in
      [ModelName(Self.beginner), ModelName(Self.beginner + plainSuffix)].map { ($0, agent) }
    }
    return (beginner ?? []) + agents.map { (ModelName($0.name), $0) }
  }

  /// The agent among these; `nil` if there is none.
  func agent(among agents: [AgentSummary]) -> AgentSummary? {
    agents.first { summary in agent.map { $0 == summary.name } ?? summary.isBeginner }
  }
}
