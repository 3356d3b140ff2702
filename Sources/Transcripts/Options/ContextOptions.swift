/// Options for preparing the context of a request.
public struct ContextOptions: Sendable, Equatable, Codable {
  /// Whether the schema of a structured answer is shown to the model as well as enforced.
  ///
  /// `nil` shows it, as `true` does.
  public var includeSchemaInPrompt: Bool?
  /// How long the model reasons before it answers, if it can.
  public var reasoningLevel: ReasoningLevel?

  /// Creates options.
  ///
  /// The schema of a structured answer is shown to the model unless it is hidden here. A level that
  /// is `nil` is left to the profile and the model.
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    self.includeSchemaInPrompt = includeSchemaInPrompt
    self.reasoningLevel = reasoningLevel
  }

  /// How long a model reasons.
  public enum ReasoningLevel: Sendable, Equatable {
    /// A little reasoning.
    case light
    /// A moderate amount of reasoning.
    case moderate
    /// As much reasoning as the task needs.
    case deep
    /// A level that is specific to the model.
    ///
    /// It is encoded as its name, so a level with the name of one of the others is decoded as that
    /// one.
    case custom(String)
  }
}

extension ContextOptions.ReasoningLevel: Codable {
  /// Decodes a level from its name.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    switch try value.decode(String.self) {
    case "light": self = .light
    case "moderate": self = .moderate
    case "deep": self = .deep
    case let other: self = .custom(other)
    }
  }

  /// Encodes a level as its name.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .light: try value.encode("light")
    case .moderate: try value.encode("moderate")
    case .deep: try value.encode("deep")
    case .custom(let name): try value.encode(name)
    }
  }
}
