/// Options for generating an answer.
///
/// An option that is `nil` is left to the profile, and then to the model.
public struct GenerationOptions: Sendable, Equatable {
  /// The way in which the next token is chosen.
  public var samplingMode: SamplingMode?
  /// The randomness of the choice: 0 always takes the most likely token, 1 uses the model's own
  /// probabilities.
  public var temperature: Double?
  /// The maximum number of tokens in an answer.
  public var maximumResponseTokens: Int?
  /// Whether the model may, must or must not call tools.
  public var toolCallingMode: ToolCallingMode?

  /// Creates options that leave the tool-calling mode to the profile.
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

  /// Creates options with a tool-calling mode, which overrides the profile's.
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

  /// Creates options.
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

  /// The way in which the next token is chosen.
  @available(*, deprecated, renamed: "samplingMode")
  public var sampling: SamplingMode? {
    get { samplingMode }
    set { samplingMode = newValue }
  }

  /// Returns these options, with each option that is `nil` taken from others.
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
  /// The way in which the next token is chosen.
  ///
  /// With the same seed, a local model with quantized weights gives the same answer to the same
  /// request on the same machine and with the same number of threads, whatever it had read before.
  /// For that, it reads the earlier answers of a conversation once more. With unquantized weights,
  /// and with an image, rounding may depend on what else the process holds, and another number of
  /// threads rounds differently too: where two tokens are almost equally likely, another one may be
  /// chosen. A worker that computes alone has all cores. What a server does with a seed is up to
  /// the server.
  public struct SamplingMode: Sendable, Equatable {
    /// The kinds of sampling.
    public enum Kind: Sendable, Equatable {
      /// Always the most likely token.
      case greedy
      /// One of the k most likely tokens.
      case randomTopK(Int, seed: UInt64?)
      /// One of the smallest set of tokens that together have at least this probability.
      case randomProbabilityThreshold(Double, seed: UInt64?)
    }

    /// The kind of sampling.
    public let kind: Kind

    /// Always takes the most likely token, so that the same prompt gives the same answer.
    public static var greedy: SamplingMode { .init(kind: .greedy) }

    /// Takes one of the k most likely tokens.
    public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode {
      .init(kind: .randomTopK(k, seed: seed))
    }

    /// Takes one of the smallest set of tokens that together have at least this probability.
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
      /// The model can only call tools, and something else must end the loop.
      case required
      /// The model can only answer.
      case disallowed
    }

    /// The kind of mode.
    public var kind: Kind

    package init(kind: Kind) {
      self.kind = kind
    }

    /// The model may call tools or answer; this is the default.
    public static let allowed = ToolCallingMode(kind: .allowed)
    /// The model can only call tools; a tool, a changed mode or a cap must end the loop.
    public static let required = ToolCallingMode(kind: .required)
    /// The model can only answer.
    public static let disallowed = ToolCallingMode(kind: .disallowed)
  }
}
