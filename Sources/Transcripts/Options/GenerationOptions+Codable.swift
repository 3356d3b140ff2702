// The keys are FoundationModels' own, except for greedy sampling and the probability threshold,
// whose spelling there is not known. Unset options are omitted.

extension GenerationOptions: Codable {
  private enum CodingKeys: String, CodingKey {
    case temperature, maximumResponseTokens, toolCallingMode
    case topK, topP, randomSeed, greedy
  }

  /// Decodes options.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let mode = try values.decodeIfPresent(ToolCallingMode.Kind.self, forKey: .toolCallingMode)
    self.init(
      samplingMode: try Self.samplingMode(from: values),
      temperature: try values.decodeIfPresent(Double.self, forKey: .temperature),
      maximumResponseTokens: try values.decodeIfPresent(Int.self, forKey: .maximumResponseTokens),
      toolCallingMode: mode.map(ToolCallingMode.init(kind:))
    )
  }

  private static func samplingMode(
    from values: KeyedDecodingContainer<CodingKeys>
  ) throws -> SamplingMode? {
    let seed = try values.decodeIfPresent(UInt64.self, forKey: .randomSeed)
    if let k = try values.decodeIfPresent(Int.self, forKey: .topK) {
      return .random(top: k, seed: seed)
    }
    if let threshold = try values.decodeIfPresent(Double.self, forKey: .topP) {
      return .random(probabilityThreshold: threshold, seed: seed)
    }
    return try values.decodeIfPresent(Bool.self, forKey: .greedy) == true ? .greedy : nil
  }

  /// Encodes options.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(temperature, forKey: .temperature)
    try values.encodeIfPresent(maximumResponseTokens, forKey: .maximumResponseTokens)
    try values.encodeIfPresent(toolCallingMode?.kind, forKey: .toolCallingMode)
    switch samplingMode?.kind {
    case .greedy: try values.encode(true, forKey: .greedy)
    case .randomTopK(let k, let seed):
      try values.encode(k, forKey: .topK)
      try values.encodeIfPresent(seed, forKey: .randomSeed)
    case .randomProbabilityThreshold(let threshold, let seed):
      try values.encode(threshold, forKey: .topP)
      try values.encodeIfPresent(seed, forKey: .randomSeed)
    case nil: break
    }
  }
}
