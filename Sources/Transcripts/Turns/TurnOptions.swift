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
  /// The span of another program in which the turn is asked for, as the `traceparent` header of the
  /// W3C's Trace Context; changes nothing about the turn itself.
  package var traceparent: String?

  package init(
    instructions: String? = nil,
    generation: GenerationOptions? = nil,
    seed: UInt64? = nil,
    stop: [String]? = nil,
    schema: GenerationSchema? = nil,
    reasoningLevel: ContextOptions.ReasoningLevel? = nil,
    skipsReasoning: Bool? = nil,
    clientTools: [ClientTool]? = nil,
    traceparent: String? = nil
  ) {
    self.instructions = instructions
    self.generation = generation
    self.seed = seed
    self.stop = stop
    self.schema = schema
    self.reasoningLevel = reasoningLevel
    self.skipsReasoning = skipsReasoning
    self.clientTools = clientTools
    self.traceparent = traceparent
  }
}

extension TurnOptions {
  /// The identity of the entry that has the instructions, which no history contains.
  package static let instructionsID = "turn-instructions"

  /// The instructions as an entry; `nil` where there are none.
  package var instructionsEntry: Transcript.Entry? {
    guard let instructions, !instructions.isEmpty else { return nil }
    let text = Transcript.Segment.text(.init(id: "text", content: instructions))
    let entry = Transcript.Instructions(
      id: Self.instructionsID,
      segments: [text],
      toolDefinitions: []
    )
    return .instructions(entry)
  }

  /// Returns the prompt as one that asks for what these options ask for.
  ///
  /// What they leave open, the prompt leaves to the profiles, too.
  package func applied(to prompt: Transcript.Prompt) -> Transcript.Prompt {
    var prompt = prompt
    prompt.options = generation ?? GenerationOptions()
    prompt.contextOptions.reasoningLevel = reasoningLevel
    prompt.responseFormat = schema.map(Transcript.ResponseFormat.init(schema:))
    return prompt
  }
}

// MARK: Limits

extension TurnOptions {
  /// The most bytes of instructions, more than any window holds.
  static let maximumInstructionBytes = 1 << 20
  /// The most texts that end an answer.
  static let maximumStops = 16
  /// The most bytes of one of them.
  static let maximumStopBytes = 256

  /// Throws an error that names the first option that no turn can have.
  package func validate() throws(InvalidValue) {
    if let bytes = instructions?.utf8.count, bytes > Self.maximumInstructionBytes {
      throw InvalidValue(
        "instructions: \(bytes) bytes; the limit is \(Self.maximumInstructionBytes)"
      )
    }
    try validateStops()
    guard let generation else { return }
    if let temperature = generation.temperature, !(0...2).contains(temperature) {
      throw InvalidValue("temperature: \(temperature) is not from 0 to 2")
    }
    if let tokens = generation.maximumResponseTokens, !(1...ValueLimits.count).contains(tokens) {
      throw InvalidValue("maximumResponseTokens: \(tokens) is not a number of tokens")
    }
    switch generation.samplingMode?.kind {
    case .randomTopK(let k, _) where !(1...ValueLimits.count).contains(k):
      throw InvalidValue("topK: \(k) is not a number of tokens")
    case .randomProbabilityThreshold(let threshold, _) where !(0...1).contains(threshold):
      throw InvalidValue("topP: \(threshold) is not from 0 to 1")
    case .greedy, .randomTopK, .randomProbabilityThreshold, nil: break
    }
  }

  private func validateStops() throws(InvalidValue) {
    guard let stop, !stop.isEmpty else { return }
    guard stop.count <= Self.maximumStops else {
      throw InvalidValue("stop: \(stop.count) texts; the limit is \(Self.maximumStops)")
    }
    for text in stop where !(1...Self.maximumStopBytes).contains(text.utf8.count) {
      throw InvalidValue("stop: a text has 1 to \(Self.maximumStopBytes) bytes")
    }
    // An answer that ends before its last bracket follows no schema.
    if schema != nil { throw InvalidValue("stop: an answer that follows a schema cannot be cut") }
  }
}
