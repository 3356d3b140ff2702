/// What an agent is, as far as it can be told without running it.
package struct AgentDescription: Sendable, Equatable, Codable {
  package var name: String
  package var description: String
  package var instructions: String
  package var tools: [Transcript.ToolDefinition]
  /// The agents that it can pass the baton to.
  package var batons: [String]
  /// The agents that it can phone.
  package var friends: [String]
  package var mode: GenerationOptions.ToolCallingMode.Kind
  /// Whether something in the profile can end a loop in which calls are required.
  package var hasExit: Bool
  /// What a person has to allow before it can run.
  package var permissions: [Permission]

  /// Describes an agent by what its profile comes to.
  /// - Parameter history: What was said until then.
  package init(_ agent: some Agent, after history: [Transcript.Entry] = []) {
    let session = LanguageModelSession(profile: Undecided(), history: history)
    let scope = SessionScope(session.properties, .body(type(of: agent)))
    // The properties know their session only as long as it lives; tools may read them to say what they
    // are.
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
    // A tool that never returns must throw; a passed baton ends this agent's part; a hook may
    // change what the mode depends on. Anything else cannot end the loop.
    hasExit =
      !batons.isEmpty || tools.contains(where: \.neverReturns)
      || !resolved.hooks.onToolCall.isEmpty || !resolved.hooks.onToolOutput.isEmpty
  }
}

/// Holds the place of a profile in a session that answers nothing.
private struct Undecided: LanguageModelSession.DynamicProfile {
  var body: some LanguageModelSession.DynamicProfile { LanguageModelSession.Profile {} }
}

extension Tool {
  fileprivate var neverReturns: Bool { Output.self == Never.self }
}
