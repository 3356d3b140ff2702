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
  public enum ReasoningLevel: Sendable, Equatable {
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

extension ContextOptions.ReasoningLevel: Codable {
  private struct Custom: Codable {
    let custom: String
  }

  /// Reads a level: its name, or an object with the name of a custom one.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let custom = try? value.decode(Custom.self) {
      self = .custom(custom.custom)
      return
    }
    switch try value.decode(String.self) {
    case "light": self = .light
    case "moderate": self = .moderate
    case "deep": self = .deep
    case let other: self = .custom(other)
    }
  }

  /// Writes a level.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .light: try value.encode("light")
    case .moderate: try value.encode("moderate")
    case .deep: try value.encode("deep")
    case .custom(let name): try value.encode(Custom(custom: name))
    }
  }
}
