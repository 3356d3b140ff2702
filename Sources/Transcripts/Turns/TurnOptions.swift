/// What the sender of a prompt asks of its turn, beyond what the profiles of the agents say.
///
/// It applies to the agents that answer in the turn, also after the baton was passed, but neither to
/// the friends that they phone nor to later turns. What is `nil` is left to the profiles.
package struct TurnOptions: Codable, Sendable, Equatable {
  /// Instructions that follow those of the agent that answers.
  ///
  /// They stand after everything that the agent's template has computed, so that it stays usable.
  package var instructions: String?
  /// Options for generating, each of which takes precedence over the agent's own.
  package var generation: GenerationOptions?
  /// The seed of random sampling, whatever the way of sampling is.
  package var seed: UInt64?
  /// Texts before which an answer in text ends.
  package var stop: [String]?
  /// The schema that the final answer must follow; tools can be called before it.
  package var schema: GenerationSchema?
  /// How long the agents reason that can.
  package var reasoningLevel: ContextOptions.ReasoningLevel?
  /// Whether the agents answer without reasoning, whatever the level.
  package var skipsReasoning: Bool?
  /// Functions that the sender performs, for agents whose profiles take them.
  package var clientTools: [ClientTool]?

  package init(
    instructions: String? = nil,
    generation: GenerationOptions? = nil,
    seed: UInt64? = nil,
    stop: [String]? = nil,
    schema: GenerationSchema? = nil,
    reasoningLevel: ContextOptions.ReasoningLevel? = nil,
    skipsReasoning: Bool? = nil,
    clientTools: [ClientTool]? = nil
  ) {
    self.instructions = instructions
    self.generation = generation
    self.seed = seed
    self.stop = stop
    self.schema = schema
    self.reasoningLevel = reasoningLevel
    self.skipsReasoning = skipsReasoning
    self.clientTools = clientTools
  }
}
