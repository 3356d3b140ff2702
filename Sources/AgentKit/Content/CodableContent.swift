/// Generated content as values that a coder can handle.
///
/// Coders do not preserve key order, so keys are read in alphabetical order. Code that needs the
/// original order stores it separately.
package struct CodableContent: Codable {
  package let content: GeneratedContent

  init(_ content: GeneratedContent) {
    self.content = content
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    if let values = try? decoder.container(keyedBy: Key.self) {
      let keys = values.allKeys.map(\.stringValue).sorted()
      let properties = try keys.map { key in
        (key, try values.decode(Self.self, forKey: Key(stringValue: key)).content)
      }
      content = GeneratedContent(
        kind: .structure(
          properties: Dictionary(properties) { _, last in last },
          orderedKeys: keys
        )
      )
    } else if var values = try? decoder.unkeyedContainer() {
      var elements: [GeneratedContent] = []
      while !values.isAtEnd { elements.append(try values.decode(Self.self).content) }
      content = GeneratedContent(kind: .array(elements))
    } else {
      content = GeneratedContent(kind: try Self.scalar(from: decoder.singleValueContainer()))
    }
  }

  private static func scalar(
    from value: any SingleValueDecodingContainer
  ) throws -> GeneratedContent.Kind {
    if value.decodeNil() { return .null }
    if let bool = try? value.decode(Bool.self) { return .bool(bool) }
    if let number = try? value.decode(Double.self) { return .number(number) }
    return .string(try value.decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    switch content.kind {
    case .structure(let properties, let keys):
      var values = encoder.container(keyedBy: Key.self)
      for key in keys {
        guard let value = properties[key] else { continue }
        try values.encode(Self(value), forKey: Key(stringValue: key))
      }
    case .array(let elements):
      var values = encoder.unkeyedContainer()
      for element in elements { try values.encode(Self(element)) }
    case .null: try encodeNull(to: encoder)
    case .bool(let bool): try encode(bool, to: encoder)
    case .string(let text): try encode(text, to: encoder)
    // JSON cannot express non-finite numbers either.
    case .number(let number) where !number.isFinite: try encodeNull(to: encoder)
    case .number(let number):
      if let whole = Int64(exactly: number) {
        try encode(whole, to: encoder)
      } else {
        try encode(number, to: encoder)
      }
    }
  }

  private func encodeNull(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encodeNil()
  }

  private func encode(_ scalar: some Encodable, to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(scalar)
  }
}
