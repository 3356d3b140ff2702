// One object an entry, with its role and its contents, as FoundationModels writes transcripts.
// Arguments and structured content are strings of JSON, so that their keys keep their order.

extension Transcript.Entry: Codable {
  private enum Role: String, Codable {
    case instructions, user, calls, tool, response, reasoning
  }

  private enum CodingKeys: String, CodingKey {
    case id, role, contents, tools, options, contextOptions, toolCalls, toolName, toolCallID
  }

  /// Reads an entry.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func contents() throws -> [Transcript.Segment] {
      try values.decode([Transcript.Segment].self, forKey: .contents)
    }
    func id() throws -> String { try values.decode(String.self, forKey: .id) }
    switch try values.decode(Role.self, forKey: .role) {
    case .instructions:
      let tools = try values.decode([Transcript.ToolDefinition].self, forKey: .tools)
      self = .instructions(.init(id: try id(), segments: try contents(), toolDefinitions: tools))
    case .user:
      let options = try values.decodeIfPresent(GenerationOptions.self, forKey: .options)
      let context = try values.decodeIfPresent(ContextOptions.self, forKey: .contextOptions)
      self = .prompt(
        .init(
          id: try id(),
          segments: try contents(),
          options: options ?? GenerationOptions(),
          contextOptions: context ?? ContextOptions()
        )
      )
    case .calls:
      let calls = try values.decode([Transcript.ToolCall].self, forKey: .toolCalls)
      self = .toolCalls(.init(id: try id(), calls))
    case .tool:
      let call = try values.decode(String.self, forKey: .toolCallID)
      let name = try values.decode(String.self, forKey: .toolName)
      self = .toolOutput(.init(id: call, toolName: name, segments: try contents()))
    case .response:
      self = .response(.init(id: try id(), segments: try contents()))
    case .reasoning:
      self = .reasoning(.init(id: try id(), segments: try contents()))
    }
  }

  /// Writes an entry.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .instructions(let entry):
      try values.encode(Role.instructions, forKey: .role)
      try values.encode(entry.id, forKey: .id)
      try values.encode(entry.segments, forKey: .contents)
      try values.encode(entry.toolDefinitions, forKey: .tools)
    case .prompt(let entry):
      try values.encode(Role.user, forKey: .role)
      try values.encode(entry.id, forKey: .id)
      try values.encode(entry.segments, forKey: .contents)
      if entry.options != GenerationOptions() { try values.encode(entry.options, forKey: .options) }
      if entry.contextOptions != ContextOptions() {
        try values.encode(entry.contextOptions, forKey: .contextOptions)
      }
    case .toolCalls(let entry):
      try values.encode(Role.calls, forKey: .role)
      try values.encode(entry.id, forKey: .id)
      try values.encode(Array(entry), forKey: .toolCalls)
    case .toolOutput(let entry):
      try values.encode(Role.tool, forKey: .role)
      try values.encode(entry.id, forKey: .toolCallID)
      try values.encode(entry.toolName, forKey: .toolName)
      try values.encode(entry.segments, forKey: .contents)
    case .response(let entry):
      try values.encode(Role.response, forKey: .role)
      try values.encode(entry.id, forKey: .id)
      try values.encode(entry.segments, forKey: .contents)
    case .reasoning(let entry):
      try values.encode(Role.reasoning, forKey: .role)
      try values.encode(entry.id, forKey: .id)
      try values.encode(entry.segments, forKey: .contents)
    }
  }
}

extension Transcript: Codable {
  private enum CodingKeys: String, CodingKey { case type, version, transcript }
  private enum ContentKeys: String, CodingKey { case entries }
  private static let typeName = "FoundationModels.Transcript"

  /// Reads a transcript.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let content = try values.nestedContainer(keyedBy: ContentKeys.self, forKey: .transcript)
    self.init(entries: try content.decode([Entry].self, forKey: .entries))
  }

  /// Writes a transcript.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Self.typeName, forKey: .type)
    try values.encode("1.1", forKey: .version)
    var content = values.nestedContainer(keyedBy: ContentKeys.self, forKey: .transcript)
    try content.encode(entries, forKey: .entries)
  }
}
