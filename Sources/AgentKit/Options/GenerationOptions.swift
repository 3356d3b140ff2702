/// How a model generates one answer.
///
/// A field that is `nil` leaves the choice to the profile, and then to the model.
public struct GenerationOptions: Sendable, Equatable {
  /// How the next token is chosen.
  public var samplingMode: SamplingMode?
  /// How freely: 0 always takes the likeliest token, 1 follows the model's own probabilities.
  public var temperature: Double?
  /// The most tokens that one answer may have.
  public var maximumResponseTokens: Int?
  /// Whether the model may, must or must not call tools.
  public var toolCallingMode: ToolCallingMode?

  /// Makes options that leave the tool-calling mode to the profile.
  public init(
    samplingMode: SamplingMode? = nil,
    temperature: Double? = nil,
    maximumResponseTokens: Int? = nil
  ) {
    self.init(
      samplingMode: samplingMode,
      temperature: temperature,
      maximumResponseTokens: maximumResponseTokens,
      toolCallingMode: nil
    )
  }

  /// Makes options with a tool-calling mode, which then wins over the profile's.
  public init(
    samplingMode: SamplingMode? = nil,
    temperature: Double? = nil,
    maximumResponseTokens: Int? = nil,
    toolCallingMode: ToolCallingMode?
  ) {
    self.samplingMode = samplingMode
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
    self.toolCallingMode = toolCallingMode
  }

  /// Makes options.
  @available(*, deprecated, renamed: "init(samplingMode:temperature:maximumResponseTokens:)")
  public init(
    sampling: SamplingMode?,
    temperature: Double? = nil,
    maximumResponseTokens: Int? = nil
  ) {
    self.init(
      samplingMode: sampling,
      temperature: temperature,
      maximumResponseTokens: maximumResponseTokens
    )
  }

  /// How the next token is chosen.
  @available(*, deprecated, renamed: "samplingMode")
  public var sampling: SamplingMode? {
    get { samplingMode }
    set { samplingMode = newValue }
  }

  /// These options, with each field that is `nil` taken from others.
  package func filled(from other: GenerationOptions) -> GenerationOptions {
    GenerationOptions(
      samplingMode: samplingMode ?? other.samplingMode,
      temperature: temperature ?? other.temperature,
      maximumResponseTokens: maximumResponseTokens ?? other.maximumResponseTokens,
      toolCallingMode: toolCallingMode ?? other.toolCallingMode
    )
  }
}

extension GenerationOptions {
  /// How the next token is chosen.
  public struct SamplingMode: Sendable, Equatable {
    /// The ways of choosing.
    public enum Kind: Sendable, Equatable {
      /// The likeliest token, always.
      case greedy
      /// One of the k likeliest.
      case randomTopK(Int, seed: UInt64?)
      /// One of the fewest tokens that together have at least this probability.
      case randomProbabilityThreshold(Double, seed: UInt64?)
    }

    /// The way that this mode chooses.
    public let kind: Kind

    /// The likeliest token, always: the same prompt gives the same answer.
    public static var greedy: SamplingMode { .init(kind: .greedy) }

    /// One of the k likeliest tokens.
    public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode {
      .init(kind: .randomTopK(k, seed: seed))
    }

    /// One of the fewest tokens that together have at least this probability.
    public static func random(
      probabilityThreshold: Double,
      seed: UInt64? = nil
    ) -> SamplingMode {
      .init(kind: .randomProbabilityThreshold(probabilityThreshold, seed: seed))
    }
  }

  /// Whether a model may, must or must not call tools.
  public struct ToolCallingMode: Sendable, Equatable {
    /// The three modes.
    public enum Kind: String, Hashable, Sendable, Codable {
      /// The model may call tools or answer.
      case allowed
      /// The model can only call tools. Something else must end the loop.
      case required
      /// The model can only answer.
      case disallowed
    }

    /// Which of the three.
    public var kind: Kind

    /// The model may call tools or answer; the default.
    public static let allowed = ToolCallingMode(kind: .allowed)
    /// The model can only call tools: a loop that a tool, a changed mode or a cap must end.
    public static let required = ToolCallingMode(kind: .required)
    /// The model can only answer.
    public static let disallowed = ToolCallingMode(kind: .disallowed)
  }
}
