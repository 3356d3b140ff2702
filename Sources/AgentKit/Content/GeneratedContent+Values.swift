extension GeneratedContent {
  /// Reads the whole content as a value of a type.
  /// - Throws: `ParsingError` when the content does not fit the type.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    try Value(self)
  }

  /// Reads one property of an object.
  /// - Throws: `ParsingError` when this is no object, when the property is absent, or when it does
  ///   not fit the type.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self,
    forProperty property: String
  ) throws -> Value {
    guard let content = try properties()[property] else {
      throw fault("has no property '\(property)'")
    }
    return try Value(content)
  }

  /// Reads one optional property of an object: `nil` when it is absent or `null`.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value?.Type = Value?.self,
    forProperty property: String
  ) throws -> Value? {
    guard let content = try properties()[property], content.kind != .null else { return nil }
    return try Value(content)
  }

  /// Reads one property of an object that is being generated: `nil` when it is absent, `null`, or cannot
  /// be read yet.
  ///
  /// What `@Generable` writes for `PartiallyGenerated` reads its properties by this.
  /// - Throws: `ParsingError` when this is no object, or when the property is complete and does not fit
  ///   the type.
  public func growingValue<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self,
    forProperty property: String
  ) throws -> Value? {
    guard let content = try properties()[property], content.kind != .null else { return nil }
    guard !content.mayBecomeAnother(Value.self) else { return nil }
    do {
      return try Value(content)
    } catch {
      guard !content.isComplete else { throw error }
      return nil
    }
  }

  /// Whether what follows would make another value of it, and not only a longer one: more digits, or the
  /// rest of a name.
  func mayBecomeAnother(_ type: Any.Type) -> Bool {
    guard !isComplete else { return false }
    return switch kind {
    case .number: true
    case .string: type != String.self && type != GeneratedContent.self
    case .null, .bool, .array, .structure: false
    }
  }

  func fault(_ problem: String) -> ParsingError {
    ParsingError(rawContent: jsonString, debugDescription: "The content \(problem).")
  }

  private func properties() throws -> [String: GeneratedContent] {
    guard case .structure(let properties, _) = kind else {
      throw fault("is not an object")
    }
    return properties
  }

  subscript(key: String) -> GeneratedContent? {
    guard case .structure(let properties, _) = kind else { return nil }
    return properties[key]
  }
}
