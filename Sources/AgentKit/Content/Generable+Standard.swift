#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
    guard case .number(let number) = content.kind, let value = Int(generated: number) else {
      throw content.fault("is not an Int")
    }
    self = value
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(kind: .number(Double(self))) }

  /// The integer that a number represents, or `nil` if it is not an integer or exceeds 64 bits.
  init?(generated number: Double) {
    // The largest 64-bit integers round up to a double that is itself out of range.
    guard let value = number == 0x1p63 ? .max : Int(exactly: number) else { return nil }
    self = value
  }
}

extension Double: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Double", shape: .number) }

  /// Reads a number.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let value) = content.kind else { throw content.fault("is not a Double") }
    self = value
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(kind: .number(self)) }
}

extension Float: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Float", shape: .number) }

  /// Reads a number and rounds it to single precision.
  public init(_ content: GeneratedContent) throws {
    let number = try Double(content)
    let value = Float(number)
    guard value.isFinite || !number.isFinite else { throw content.fault("is not a Float") }
    self = value
  }

  /// The value as generated content.
  public var generatedContent: GeneratedContent { .init(kind: .number(asWritten)) }
}

extension Decimal: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Decimal", shape: .number) }

  /// Reads a number as the decimal that its digits spell.
  ///
  /// Content stores numbers in double precision, which preserves 15 digits.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.kind,
      let value = number.isNaN ? .nan : Decimal(string: String(number))
    else {
      throw content.fault("is not a Decimal")
    }
    self = value
  }

  /// The value as generated content, in double precision.
  public var generatedContent: GeneratedContent { .init(kind: .number(rounded)) }

  /// The nearest double-precision number.
  var rounded: Double { Double(description) ?? .nan }
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
