import PlatformLibraries

// As in FoundationModels, each entry is one object with its role and its contents. Where key order
// matters, a JSON string is used: for the arguments of calls, and beside structured content.

extension Transcript.Entry: Codable {
  private enum Role: String, Codable {
    case instructions, user, response, tool, reasoning
  }

  private enum CodingKeys: String, CodingKey {
    case id, role, contents, tools, options, contextOptions, responseFormat, metadata
    case toolCalls, toolName, toolCallID, assets, reasoning
  }

  private enum ReasoningKeys: String, CodingKey { case contents, signature }

  /// Decodes an entry.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func contents() throws -> [Transcript.Segment] {
      try values.decode([Transcript.Segment].self, forKey: .contents)
    }
    func id() throws -> String { try values.decode(String.self, forKey: .id) }
    func metadata() throws -> [String: GeneratedContent] {
      try values.decodeMetadata(forKey: .metadata)
    }
    switch try values.decode(Role.self, forKey: .role) {
    case .instructions:
      let tools = try values.decodeIfPresent([Transcript.ToolDefinition].self, forKey: .tools)
      self = .instructions(
        .init(id: try id(), segments: try contents(), toolDefinitions: tools ?? [])
      )
    case .user:
      let options = try values.decodeIfPresent(GenerationOptions.self, forKey: .options)
      let context = try values.decodeIfPresent(ContextOptions.self, forKey: .contextOptions)
      self = .prompt(
        .init(
          id: try id(),
          metadata: try metadata(),
          segments: try contents(),
          options: options ?? GenerationOptions(),
          responseFormat: try values.decodeIfPresent(
            Transcript.ResponseFormat.self,
            forKey: .responseFormat
          ),
          contextOptions: context ?? ContextOptions()
        )
      )
    case .response where values.contains(.toolCalls):
      let calls = try values.decode([Transcript.ToolCall].self, forKey: .toolCalls)
      self = .toolCalls(.init(id: try id(), calls))
    case .response:
      var response = Transcript.Response(
        id: try id(),
        metadata: try metadata(),
        segments: try contents()
      )
      response.assetIDs = try values.decodeIfPresent([String].self, forKey: .assets) ?? []
      self = .response(response)
    case .tool:
      let call = try values.decode(String.self, forKey: .toolCallID)
      let name = try values.decode(String.self, forKey: .toolName)
      self = .toolOutput(.init(id: call, toolName: name, segments: try contents()))
    case .reasoning:
      let reasoning = try values.nestedContainer(keyedBy: ReasoningKeys.self, forKey: .reasoning)
      self = .reasoning(
        .init(
          id: try id(),
          metadata: try metadata(),
          segments: try reasoning.decode([Transcript.Segment].self, forKey: .contents),
          signature: try reasoning.decodeIfPresent(Data.self, forKey: .signature)
        )
      )
    }
  }

  /// Encodes an entry.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    switch self {
    case .instructions(let entry):
      try values.encode(Role.instructions, forKey: .role)
      try values.encode(entry.segments, forKey: .contents)
      if !entry.toolDefinitions.isEmpty {
        try values.encode(entry.toolDefinitions, forKey: .tools)
      }
    case .prompt(let entry):
      try values.encode(Role.user, forKey: .role)
      try values.encode(entry.segments, forKey: .contents)
      try values.encode(entry.options, forKey: .options)
      try values.encode(entry.contextOptions, forKey: .contextOptions)
      try values.encodeIfPresent(entry.responseFormat, forKey: .responseFormat)
      try values.encode(metadata: entry.metadata, forKey: .metadata)
    case .toolCalls(let entry):
      try values.encode(Role.response, forKey: .role)
      try values.encode(Array(entry), forKey: .toolCalls)
    case .toolOutput(let entry):
      try values.encode(Role.tool, forKey: .role)
      try values.encode(entry.id, forKey: .toolCallID)
      try values.encode(entry.toolName, forKey: .toolName)
      try values.encode(entry.segments, forKey: .contents)
    case .response(let entry):
      try values.encode(Role.response, forKey: .role)
      try values.encode(entry.segments, forKey: .contents)
      if !entry.assetIDs.isEmpty { try values.encode(entry.assetIDs, forKey: .assets) }
      try values.encode(metadata: entry.metadata, forKey: .metadata)
    case .reasoning(let entry):
      try values.encode(Role.reasoning, forKey: .role)
      var reasoning = values.nestedContainer(keyedBy: ReasoningKeys.self, forKey: .reasoning)
      try reasoning.encode(entry.segments, forKey: .contents)
      try reasoning.encodeIfPresent(entry.signature, forKey: .signature)
      try values.encode(metadata: entry.metadata, forKey: .metadata)
    }
  }
}

extension Transcript: Codable {
  private enum CodingKeys: String, CodingKey { case type, version, transcript }
  private enum ContentKeys: String, CodingKey { case entries }
  private static let typeName = "FoundationModels.Transcript"

  /// Decodes a transcript, including one written by FoundationModels.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let content = try values.nestedContainer(keyedBy: ContentKeys.self, forKey: .transcript)
    self.init(entries: try content.decode([Entry].self, forKey: .entries))
  }

  /// Encodes a transcript in the format that FoundationModels reads.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Self.typeName, forKey: .type)
    try values.encode("1.1", forKey: .version)
    var content = values.nestedContainer(keyedBy: ContentKeys.self, forKey: .transcript)
    try content.encode(Array(self), forKey: .entries)
  }
}
