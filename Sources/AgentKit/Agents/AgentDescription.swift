/// What can be said about an agent without running it.
package struct AgentDescription: Sendable, Equatable, Codable {
  package var name: String
  package var description: String
  package var instructions: String
  package var tools: [Transcript.ToolDefinition]
  /// The agents to which it can pass the baton.
  package var batons: [String]
  /// The agents that it can phone.
  package var friends: [String]
  package var mode: GenerationOptions.ToolCallingMode.Kind
  /// How long its model reasons, which some chat templates write before the instructions.
  package var reasoningLevel: ContextOptions.ReasoningLevel?
  /// The name of its model, if a server runs it.
  package var serverModel: String?
  /// Whether something in the profile can end a loop in which tool calls are required.
  package var hasExit: Bool
  /// The permissions that a person must grant before the agent can run.
  package var permissions: [Permission]

  /// Describes an agent by resolving its profile.
  ///
  /// - Parameters:
  ///   - agent: The agent to describe.
  ///   - history: The entries that precede the profile's first request.
  package init(_ agent: some Agent, after history: [Transcript.Entry] = []) {
    let session = LanguageModelSession(profile: Undecided(), history: history)
    let scope = SessionScope(session.properties, .body(type(of: agent)))
    // Session properties reach their session only while it is alive, and tools may read them to
    // describe themselves.
    let (resolved, definitions) = withExtendedLifetime(session) {
      let resolved = ResolvedProfile(agent, in: scope)
      let definitions = SessionScope.$current.withValue(scope) {
        resolved.instructions.tools.map { Transcript.ToolDefinition(tool: $0) }
      }
      return (resolved, definitions)
    }
    let tools = resolved.instructions.tools
    name = agent.name
    description = agent.description
    instructions = resolved.instructions.segments.joinedText
    permissions = agent.permissions
    self.tools = definitions
    batons = tools.compactMap { $0 as? PassBaton }.flatMap(\.agents)
    friends = tools.compactMap { ($0 as? PhoneAFriend)?.agent }
    mode = resolved.options.toolCallingMode?.kind ?? .allowed
    reasoningLevel = resolved.reasoningLevel
    serverModel = resolved.model?.nameOnServer
    // The loop can end if a tool that never returns throws, if a passed baton ends this agent's
    // part, or if a hook changes what the mode depends on. Nothing else ends it.
    hasExit =
      !batons.isEmpty || tools.contains(where: \.neverReturns)
      || !resolved.hooks.onToolCall.isEmpty || !resolved.hooks.onToolOutput.isEmpty
  }
}

/// A placeholder profile for a session that never answers.
private struct Undecided: LanguageModelSession.DynamicProfile {
  var body: some LanguageModelSession.DynamicProfile { LanguageModelSession.Profile {} }
}

extension LanguageModel {
  /// The name under which a server runs the model; `nil` for a model that no server runs.
  fileprivate var nameOnServer: String? {
    switch self {
    case let model as ChatCompletionsLanguageModel: model.name
    case is PrivateCloudComputeLanguageModel: PrivateCloudComputeLanguageModel.modelVariable
    default: nil
    }
  }
}

extension Tool {
  fileprivate var neverReturns: Bool { Output.self == Never.self }
}
