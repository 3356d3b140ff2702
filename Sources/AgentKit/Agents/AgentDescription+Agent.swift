extension AgentDescription {
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
    // The loop can end if a tool that never returns throws, if a passed baton ends this agent's
    // part, or if a hook changes what the mode depends on. Nothing else ends it.
    let batons = tools.compactMap { $0 as? PassBaton }.flatMap(\.agents)
    let hasExit =
      !batons.isEmpty || tools.contains(where: \.neverReturns)
      || !resolved.hooks.onToolCall.isEmpty || !resolved.hooks.onToolOutput.isEmpty
    self.init(
      name: agent.name,
      description: agent.description,
      instructions: resolved.instructions.segments.joinedText,
      tools: definitions,
      servers: resolved.instructions.servers,
      batons: batons,
      friends: tools.compactMap { ($0 as? PhoneAFriend)?.agent },
      mode: resolved.options.toolCallingMode?.kind ?? .allowed,
      reasoningLevel: resolved.reasoningLevel,
      serverModel: resolved.model?.nameOnServer,
      hasExit: hasExit,
      takesClientTools: resolved.instructions.takesClientTools,
      host: resolved.host,
      permissions: agent.permissions
    )
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
