public import PlatformLibraries

extension Bool: Generable {
  /// The schema of a Boolean value.
  public static var generationSchema: GenerationSchema { .init(name: "Bool", shape: .boolean) }

  /// Reads a Boolean value.
  public init(_ content: GeneratedContent) throws {
    guard case .bool(let value) = content.kind else { throw content.fault("is not a Bool") }
    self = value
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(kind: .bool(self)) }
}

extension String: Generable {
  /// The schema of a string.
  public static var generationSchema: GenerationSchema { .init(name: "String", shape: .string) }

  /// Reads a string.
  public init(_ content: GeneratedContent) throws {
    guard case .string(let value) = content.kind else { throw content.fault("is not a String") }
    self = value
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(kind: .string(self)) }
}

extension Int: Generable {
  /// The schema of an integer.
  public static var generationSchema: GenerationSchema { .init(name: "Int", shape: .integer) }

  /// Reads an integer that fits in 64 bits.
  public init(_ content: GeneratedContent) throws {
    self = try content.read("an Int") { number throws(JSONNumber.Misfit) in try number.integer() }
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(number: JSONNumber(self)) }
}

extension UInt64: Generable {
  /// The schema of an integer that is not negative.
  public static var generationSchema: GenerationSchema {
    var schema = GenerationSchema(name: "UInt64", shape: .integer)
    schema.rootConstraints = GenerationGuide<UInt64>.range(UInt64.min...UInt64.max).constraints
    return schema
  }

  /// Reads an integer that is not negative and fits in 64 bits.
  public init(_ content: GeneratedContent) throws {
    self = try content.read("a UInt64") { number throws(JSONNumber.Misfit) in
      try number.integer()
    }
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(number: JSONNumber(self)) }
}

extension Double: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Double", shape: .number) }

  /// Reads a number, rounded as usual after the decimal point.
  ///
  /// A number that would lose digits before the decimal point is refused, as is one that would
  /// become infinite or zero.
  public init(_ content: GeneratedContent) throws {
    if case .number(let double) = content.kind, content.number == nil {
      self = double
    } else {
      self = try content.read("a Double") { number throws(JSONNumber.Misfit) in
        try number.floating()
      }
    }
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(kind: .number(self)) }
}

extension Float: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Float", shape: .number) }

  /// Reads a number, rounded as usual after the decimal point.
  ///
  /// A number that would lose digits before the decimal point is refused, as is one that would
  /// become infinite or zero.
  public init(_ content: GeneratedContent) throws {
    if case .number(let double) = content.kind, content.number == nil {
      self = Float(double)
    } else {
      self = try content.read("a Float") { number throws(JSONNumber.Misfit) in
        try number.floating()
      }
    }
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent {
    JSONNumber(self).map { .init(number: $0) } ?? .init(kind: .number(Double(self)))
  }
}

extension Decimal: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Decimal", shape: .number) }

  /// Reads a number as the decimal that its digits spell.
  ///
  /// A number that has more digits than a `Decimal` can hold, which is 38, is refused.
  public init(_ content: GeneratedContent) throws {
    if case .number(let double) = content.kind, double.isNaN {
      self = .nan
    } else {
      self = try content.read("a Decimal") { number throws(JSONNumber.Misfit) in
        try number.decimal()
      }
    }
  }

  /// The value as generated content, with all its digits.
  public var generatedContent: GeneratedContent {
    JSONNumber(self).map { .init(number: $0) } ?? .init(kind: .number(.nan))
  }
}

extension GeneratedContent {
  /// Reads a number as a value of a type.
  ///
  /// - Parameters:
  ///   - type: The type, with its article.
  ///   - convert: A closure that converts the number.
  /// - Throws: `ParsingError` if the content is not a number, or does not fit the type.
  fileprivate func read<Value>(
    _ type: String,
    _ convert: (JSONNumber) throws(JSONNumber.Misfit) -> Value
  ) throws -> Value {
    guard let number else { throw fault("is not \(type)") }
    do {
      return try convert(number)
    } catch {
      throw fault(error.problem)
    }
  }
}

extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// Reads an array.
  ///
  /// While the array streams, its last element may be too incomplete to read; it is left out until
  /// it can be read.
  public init(_ content: GeneratedContent) throws {
    guard case .array(let elements) = content.kind else { throw content.fault("is not an array") }
    self = try elements.enumerated().compactMap { index, element in
      guard !element.mayBecomeAnother(Element.self) else { return nil }
      do {
        return try GeneratedContent.ParsingError.locating(.element(index)) { try Element(element) }
      } catch {
        guard !element.isComplete, index == elements.count - 1 else { throw error }
        return nil
      }
    }
  }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// The array as generated content.
  public var generatedContent: GeneratedContent {
    // A closure: where the element's type is generic, a key path is made anew each time.
    .init(kind: .array(map { $0.generatedContent }))
  }
}

extension Array: Generable where Element: Generable {
  /// The part of the array that is known while it streams.
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// The schema of an array.
  public static var generationSchema: GenerationSchema {
    .init(
      name: "Array<\(Element.generationSchema.name)>",
      shape: .array(of: .type(Element.self))
    )
  }
}

extension Optional: ConvertibleToGeneratedContent, PromptRepresentable, InstructionsRepresentable
where Wrapped: ConvertibleToGeneratedContent {
  /// The wrapped value as generated content, or `null`.
  public var generatedContent: GeneratedContent {
    self?.generatedContent ?? .init(kind: .null)
  }
}

extension Optional where Wrapped: Generable {
  /// The part of the wrapped value that is known while it streams.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}

extension Never: Generable {
  /// The schema of a type that has no values.
  public static var generationSchema: GenerationSchema { .init(name: "Never", shape: .null) }

  /// Always throws, because the type has no values.
  public init(_ content: GeneratedContent) throws {
    throw content.fault("cannot be a Never")
  }

  /// Never called, because the type has no values.
  public var generatedContent: GeneratedContent {
    switch self {}
  }
}

extension GeneratedContent: Generable {
  /// The schema of any content.
  public static var generationSchema: GenerationSchema { .init(name: "Any", shape: .any) }

  /// Takes content unchanged.
  public init(_ content: GeneratedContent) throws {
    self = content
  }

  /// The content itself.
  public var generatedContent: GeneratedContent { self }
}
