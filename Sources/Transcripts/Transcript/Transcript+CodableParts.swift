import PlatformLibraries

extension String {
  /// The content of a URL that contains all of it, such as `data:image/png;base64,…`.
  fileprivate var addressedData: Data? {
    guard hasPrefix("data:"), let start = firstRange(of: ";base64,")?.upperBound else { return nil }
    return Data(base64Encoded: String(self[start...]))
  }
}

extension Transcript.Segment: Codable {
  /// What a segment is; only FoundationModels writes `image`, for an image without a label.
  private enum Kind: String, Codable { case text, structure, attachment, image }
  private enum CodingKeys: String, CodingKey { case type, id, text, structure, attachment, image }
  private enum StructureKeys: String, CodingKey { case source, schemaName, content, json }
  private enum AttachmentKeys: String, CodingKey { case type, label, url, data }
  private enum AttachmentKind: String, Codable { case image }

  /// Decodes a segment.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let id = try values.decode(String.self, forKey: .id)
    switch try values.decode(Kind.self, forKey: .type) {
    case .text:
      self = .text(.init(id: id, content: try values.decode(String.self, forKey: .text)))
    case .structure:
      let structure = try values.nestedContainer(keyedBy: StructureKeys.self, forKey: .structure)
      let source = try structure.decodeIfPresent(String.self, forKey: .source)
      let name = try source ?? structure.decode(String.self, forKey: .schemaName)
      let content =
        structure.contains(.json)
        ? try structure.decodeContent(forKey: .json)
        : try structure.decode(CodableContent.self, forKey: .content).content
      self = .structure(.init(id: id, schemaName: name, content: content))
    case .attachment:
      let values = try values.nestedContainer(keyedBy: AttachmentKeys.self, forKey: .attachment)
      let content: Transcript.Attachment
      switch try values.decode(AttachmentKind.self, forKey: .type) {
      case .image:
        var image = Transcript.ImageAttachment(
          url: try values.decodeIfPresent(URL.self, forKey: .url)
        )
        if values.contains(.data), try !values.decodeNil(forKey: .data) {
          image.data = try values.decodeImage(forKey: .data)
        }
        content = .image(image)
      }
      let label = try values.decodeIfPresent(String.self, forKey: .label)
      self = .attachment(.init(id: id, content: content, label: label))
    case .image:
      let data = try values.decodeImage(forKey: .image)
      self = .attachment(.init(id: id, content: .image(.init(imageData: data))))
    }
  }

  /// Encodes a segment.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    switch self {
    case .text(let segment):
      try values.encode(Kind.text, forKey: .type)
      try values.encode(segment.content, forKey: .text)
    case .structure(let segment):
      try values.encode(Kind.structure, forKey: .type)
      var structure = values.nestedContainer(keyedBy: StructureKeys.self, forKey: .structure)
      try structure.encode(segment.schemaName, forKey: .source)
      try structure.encode(CodableContent(segment.content), forKey: .content)
      // This preserves the order in which the model generated the keys and reads them again.
      try structure.encode(segment.content.jsonString, forKey: .json)
    case .attachment(let segment):
      try values.encode(Kind.attachment, forKey: .type)
      var values = values.nestedContainer(keyedBy: AttachmentKeys.self, forKey: .attachment)
      try values.encodeIfPresent(segment.label, forKey: .label)
      switch segment.content {
      case .image(let image):
        try values.encode(AttachmentKind.image, forKey: .type)
        try values.encodeIfPresent(image.url, forKey: .url)
        try values.encodeIfPresent(image.dataAddress, forKey: .data)
      }
    }
  }
}

extension Transcript.ToolCall: Codable {
  private enum CodingKeys: String, CodingKey { case id, name, arguments, isComplete, metadata }

  /// Decodes a call.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let arguments = try values.decodeContent(forKey: .arguments)
    // The arguments are written as complete JSON, which must not make an interrupted call complete.
    let isComplete = try values.decodeIfPresent(Bool.self, forKey: .isComplete) ?? true
    self.init(
      id: try values.decode(String.self, forKey: .id),
      metadata: try values.decodeMetadata(forKey: .metadata),
      toolName: try values.decode(String.self, forKey: .name),
      arguments: arguments.marked(isComplete: arguments.isComplete && isComplete)
    )
  }

  /// Encodes a call.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(toolName, forKey: .name)
    try values.encode(arguments.jsonString, forKey: .arguments)
    if !arguments.isComplete { try values.encode(false, forKey: .isComplete) }
    try values.encode(metadata: metadata, forKey: .metadata)
  }
}

extension Transcript.ToolDefinition: Codable {
  private enum CodingKeys: String, CodingKey { case type, function }
  private enum FunctionKeys: String, CodingKey { case name, description, parameters }

  /// Decodes a definition.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let function = try values.nestedContainer(keyedBy: FunctionKeys.self, forKey: .function)
    self.init(
      name: try function.decode(String.self, forKey: .name),
      description: try function.decode(String.self, forKey: .description),
      parameters: try function.decode(GenerationSchema.self, forKey: .parameters)
    )
  }

  /// Encodes a definition.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode("function", forKey: .type)
    var function = values.nestedContainer(keyedBy: FunctionKeys.self, forKey: .function)
    try function.encode(name, forKey: .name)
    try function.encode(description, forKey: .description)
    try function.encode(parameters, forKey: .parameters)
  }
}

extension Transcript.ResponseFormat: Codable {
  private enum CodingKeys: String, CodingKey { case type, jsonSchema }
  private enum SchemaKeys: String, CodingKey { case name, description, schema }

  /// Decodes a response format.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let schema = try values.nestedContainer(keyedBy: SchemaKeys.self, forKey: .jsonSchema)
    var read = try schema.decode(GenerationSchema.self, forKey: .schema)
    // The schema itself states its name only for objects and choices.
    if let name = try schema.decodeIfPresent(String.self, forKey: .name) { read.name = name }
    self.init(schema: read)
  }

  /// Encodes a response format.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch kind {
    case .schema(let schema):
      try values.encode("jsonSchema", forKey: .type)
      var format = values.nestedContainer(keyedBy: SchemaKeys.self, forKey: .jsonSchema)
      try format.encode(schema.name, forKey: .name)
      try format.encodeIfPresent(schema.description, forKey: .description)
      try format.encode(schema, forKey: .schema)
    }
  }
}

extension KeyedDecodingContainer {
  /// Decodes the bytes of an image from a URL that contains them.
  ///
  /// Transcripts from before images were written as URLs have only the bytes, in Base64.
  fileprivate func decodeImage(forKey key: Key) throws -> Data {
    let address = try? decode(String.self, forKey: key)
    return try address?.addressedData ?? decode(Data.self, forKey: key)
  }

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

  func decodeMetadata(forKey key: Key) throws -> [String: GeneratedContent] {
    let values = try decodeIfPresent([String: CodableContent].self, forKey: key)
    return values?.mapValues(\.content) ?? [:]
  }
}

extension KeyedEncodingContainer {
  /// Encodes the metadata of an entry, unless it is empty.
  mutating func encode(metadata: [String: GeneratedContent], forKey key: Key) throws {
    guard !metadata.isEmpty else { return }
    try encode(metadata.mapValues(CodableContent.init), forKey: key)
  }
}
