import PlatformLibraries

/// Generated content as values that a coder can handle.
///
/// Coders do not preserve key order, so keys are read in alphabetical order. Code that needs the
/// original order stores it separately.
package struct CodableContent: Codable {
  package let content: GeneratedContent

  package init(_ content: GeneratedContent) {
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
      content = try Self.scalar(from: decoder.singleValueContainer())
    }
  }

  private static func scalar(
    from value: any SingleValueDecodingContainer
  ) throws -> GeneratedContent {
    if value.decodeNil() { return .init(kind: .null) }
    if let bool = try? value.decode(Bool.self) { return .init(kind: .bool(bool)) }
    if let number = number(in: value) { return .init(number: number) }
    return .init(kind: .string(try value.decode(String.self)))
  }

  /// Decodes a number by the type that has most of its digits.
  private static func number(in value: any SingleValueDecodingContainer) -> JSONNumber? {
    let double = try? value.decode(Double.self)
    // An integer has no negative zero.
    if let double, double == 0 { return JSONNumber(double) }
    // Before integers, which Foundation makes of numbers with a fraction that a Double cannot hold.
    // A number may be too small for a Decimal, and not every decoder has them.
    let decimal = (try? value.decode(Decimal.self)).flatMap { JSONNumber($0) }
    if let decimal, decimal.nearestDouble == double { return decimal }
    if let whole = try? value.decode(Int64.self) { return JSONNumber(whole) }
    if let whole = try? value.decode(UInt64.self) { return JSONNumber(whole) }
    return double.flatMap { JSONNumber($0) }
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
    case .number:
      guard let number = content.number else {
        // JSON cannot express non-finite numbers either.
        return try encodeNull(to: encoder)
      }
      try encode(number, to: encoder)
    }
  }

  /// Encodes a number as a type that keeps its digits; with more than any type has, as text.
  private func encode(_ number: JSONNumber, to encoder: any Encoder) throws {
    let double = number.nearestDouble
    if double == 0, JSONNumber(double) == number {
      try encode(double, to: encoder)
    } else if let whole = try? number.integer(Int64.self) {
      try encode(whole, to: encoder)
    } else if let whole = try? number.integer(UInt64.self) {
      try encode(whole, to: encoder)
    } else if JSONNumber(double) == number {
      try encode(double, to: encoder)
    } else if let decimal = try? number.decimal() {
      try encode(decimal, to: encoder)
    } else {
      try encode(number.text, to: encoder)
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
