/// How the context of a request is prepared.
public struct ContextOptions: Sendable, Equatable, Codable {
  /// Whether the schema of a structured answer is shown to the model, beside being enforced.
  public var includeSchemaInPrompt: Bool?
  /// How long the model thinks before it answers, where it can.
  public var reasoningLevel: ReasoningLevel?

  /// Makes options; what is `nil` is left to the profile and the model.
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    self.includeSchemaInPrompt = includeSchemaInPrompt
    self.reasoningLevel = reasoningLevel
  }

  /// How long a model thinks.
  public enum ReasoningLevel: Sendable, Equatable, Codable {
    /// A little.
    case light
    /// Some.
    case moderate
    /// As long as it needs.
    case deep
    /// A level that only this model knows.
    case custom(String)
  }
}
