extension Transcript.Segment: Codable {
  private enum Kind: String, Codable { case text, structure }
  private enum CodingKeys: String, CodingKey { case type, id, text, schemaName, content }

  /// Reads a segment.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let id = try values.decode(String.self, forKey: .id)
    switch try values.decode(Kind.self, forKey: .type) {
    case .text:
      self = .text(.init(id: id, content: try values.decode(String.self, forKey: .text)))
    case .structure:
      self = .structure(
        .init(
          id: id,
          schemaName: try values.decode(String.self, forKey: .schemaName),
          content: try values.decodeContent(forKey: .content)
        )
      )
    }
  }

  /// Writes a segment.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    switch self {
    case .text(let segment):
      try values.encode(Kind.text, forKey: .type)
      try values.encode(segment.content, forKey: .text)
    case .structure(let segment):
      try values.encode(Kind.structure, forKey: .type)
      try values.encode(segment.schemaName, forKey: .schemaName)
      try values.encode(segment.content.jsonString, forKey: .content)
    }
  }
}

extension Transcript.ToolCall: Codable {
  private enum CodingKeys: String, CodingKey { case id, name, arguments }

  /// Reads a call.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try values.decode(String.self, forKey: .id),
      toolName: try values.decode(String.self, forKey: .name),
      arguments: try values.decodeContent(forKey: .arguments)
    )
  }

  /// Writes a call.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(toolName, forKey: .name)
    try values.encode(arguments.jsonString, forKey: .arguments)
  }
}

extension Transcript.ToolDefinition: Codable {
  private enum CodingKeys: String, CodingKey { case name, description, schemaName, parameters }

  /// Reads a definition.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      description: try values.decode(String.self, forKey: .description),
      parameters: GenerationSchema(
        name: try values.decode(String.self, forKey: .schemaName),
        jsonSchema: try values.decodeContent(forKey: .parameters)
      )
    )
  }

  /// Writes a definition.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(description, forKey: .description)
    try values.encode(parameters.name, forKey: .schemaName)
    try values.encode(parameters.jsonSchema.jsonString, forKey: .parameters)
  }
}

extension GenerationOptions: Codable {
  private enum CodingKeys: String, CodingKey {
    case sampling, temperature, maximumResponseTokens, toolCallingMode
  }

  /// Reads options.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let sampling = try values.decodeIfPresent(SamplingMode.Kind.self, forKey: .sampling)
    let mode = try values.decodeIfPresent(ToolCallingMode.Kind.self, forKey: .toolCallingMode)
    self.init(
      samplingMode: sampling.map(SamplingMode.init(kind:)),
      temperature: try values.decodeIfPresent(Double.self, forKey: .temperature),
      maximumResponseTokens: try values.decodeIfPresent(Int.self, forKey: .maximumResponseTokens),
      toolCallingMode: mode.map(ToolCallingMode.init(kind:))
    )
  }

  /// Writes options; what is `nil` is left out.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(samplingMode?.kind, forKey: .sampling)
    try values.encodeIfPresent(temperature, forKey: .temperature)
    try values.encodeIfPresent(maximumResponseTokens, forKey: .maximumResponseTokens)
    try values.encodeIfPresent(toolCallingMode?.kind, forKey: .toolCallingMode)
  }
}

extension KeyedDecodingContainer {
  fileprivate func decodeContent(forKey key: Key) throws -> GeneratedContent {
    let json = try decode(String.self, forKey: key)
    do {
      return try GeneratedContent(json: json)
    } catch {
      throw DecodingError.dataCorruptedError(
        forKey: key,
        in: self,
        debugDescription: String(reflecting: error)
      )
    }
  }
}
