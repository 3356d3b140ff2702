extension GeneratedContent {
  /// Reads the whole content as a value of a type.
  ///
  /// - Parameter type: The type to read.
  /// - Throws: ``GeneratedContent/ParsingError`` if the content does not fit the type.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    try Value(self)
  }

  /// Reads a property of an object.
  ///
  /// - Parameters:
  ///   - type: The type to read.
  ///   - property: The name of the property.
  /// - Throws: ``GeneratedContent/ParsingError`` if the content is not an object, or if the
  ///   property is absent or does not fit the type.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self,
    forProperty property: String
  ) throws -> Value {
    guard let content = try properties()[property] else {
      throw fault("has no property '\(property)'")
    }
    return try ParsingError.locating(.property(property)) { try Value(content) }
  }

  /// Reads an optional property of an object, returning `nil` if it is absent or `null`.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value?.Type = Value?.self,
    forProperty property: String
  ) throws -> Value? {
    guard let content = try properties()[property], content.kind != .null else { return nil }
    return try ParsingError.locating(.property(property)) { try Value(content) }
  }

  /// Reads a property of an object that is still being generated.
  ///
  /// The code that `@Generable` generates for `PartiallyGenerated` reads its properties this way.
  ///
  /// - Parameters:
  ///   - type: The type to read.
  ///   - property: The name of the property.
  /// - Returns: The value, or `nil` if the property is absent, is `null`, or cannot be read yet.
  /// - Throws: ``GeneratedContent/ParsingError`` if the content is not an object, or if the
  ///   property is complete and does not fit the type.
  public func growingValue<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self,
    forProperty property: String
  ) throws -> Value? {
    guard let content = try properties()[property], content.kind != .null else { return nil }
    guard !content.mayBecomeAnother(Value.self) else { return nil }
    do {
      return try ParsingError.locating(.property(property)) { try Value(content) }
    } catch {
      guard !content.isComplete else { throw error }
      return nil
    }
  }

  /// Whether more output could turn this content into a different value, not just a longer one.
  ///
  /// More digits of a number and the rest of a name do so.
  package func mayBecomeAnother(_ type: Any.Type) -> Bool {
    guard !isComplete else { return false }
    return switch kind {
    case .number: true
    case .string: type != String.self && type != GeneratedContent.self
    case .null, .bool, .array, .structure: false
    }
  }

  func fault(_ problem: String) -> ParsingError {
    ParsingError(.init(problem: problem), in: self)
  }

  private func properties() throws -> [String: GeneratedContent] {
    guard case .structure(let properties, _) = kind else {
      throw fault("is not an object")
    }
    return properties
  }

  /// The property of an object; `nil` if there is none, or for other content.
  package subscript(key: String) -> GeneratedContent? {
    guard case .structure(let properties, _) = kind else { return nil }
    return properties[key]
  }

  /// Creates an object from names and values, in order; of a repeated name, the last value counts.
  package static func object(_ members: [(String, GeneratedContent)]) -> GeneratedContent {
    GeneratedContent(
      properties: members.map { ($0.0, $0.1 as any ConvertibleToGeneratedContent) },
      uniquingKeysWith: { _, last in last }
    )
  }

  /// The text of a string, or `nil` for other content.
  package var text: String? { if case .string(let text) = kind { text } else { nil } }

  /// The elements of an array, or `nil` for other content.
  package var elements: [GeneratedContent]? {
    if case .array(let elements) = kind { elements } else { nil }
  }

  /// The whole number, or `nil` for other content and for one that does not fit in an `Int`.
  package var integer: Int? { try? number?.integer(Int.self) }
}
