/// A JSON Schema by an author who does not know of this package, such as one that an MCP server or
/// the client of a door sends for a function.
///
/// A ``GenerationSchema`` cannot express all of JSON Schema. ``conversion(named:)`` makes one that
/// holds a model to as much as a grammar can, and ``violation(by:)`` checks what the model generated
/// against the original.
///
/// References are followed within the document only; nothing is ever fetched.
package struct JSONSchema: Sendable, Equatable {
  /// The schema as it was sent: an object, `true` or `false`.
  package let document: GeneratedContent

  package init(_ document: GeneratedContent) {
    self.document = document
  }

  /// Reads a schema.
  ///
  /// - Throws: ``GeneratedContent/ParsingError`` if the text is not JSON.
  package init(json: String) throws {
    document = try GeneratedContent(json: json)
  }

  /// Returns the part of the document to which a reference leads, such as `#/$defs/Address`, or
  /// `nil` if it leads elsewhere.
  func target(of reference: String) -> GeneratedContent? {
    guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
    let pointer = reference.dropFirst()
    guard !pointer.isEmpty else { return document }
    guard pointer.utf8.first == UInt8(ascii: "/") else { return nil }
    var content = document
    for token in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let next = content.member(Self.name(of: token)) else { return nil }
      content = next
    }
    return content
  }

  /// Returns the name that a part of a pointer stands for.
  static func name(of token: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(token.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
      .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
  }
}

// A coder does not preserve the order of keys, which a model reads, so the document is coded as text.
// It can also be read as JSON, from clients that send one by hand; its keys are then sorted.

extension JSONSchema: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let text = try? container.decode(String.self) else {
      self.init(try CodableContent(from: decoder).content)
      return
    }
    do {
      try self.init(json: text)
    } catch let error as GeneratedContent.ParsingError {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: error.debugDescription
      )
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(document.jsonString)
  }
}

extension GeneratedContent {
  /// Returns the property of an object or the element of an array that a part of a pointer names.
  fileprivate func member(_ name: String) -> GeneratedContent? {
    switch kind {
    case .structure(let properties, _): properties[name]
    case .array(let elements):
      Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
    case .null, .bool, .number, .string: nil
    }
  }

  /// The properties of an object in order; none for other content.
  var members: [(name: String, content: GeneratedContent)] {
    guard case .structure(let properties, let keys) = kind else { return [] }
    return keys.compactMap { key in properties[key].map { (key, $0) } }
  }

  /// The strings of an array; other elements are left out.
  var strings: [String] { (elements ?? []).compactMap(\.text) }
}
