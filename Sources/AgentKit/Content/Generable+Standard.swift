#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Bool: Generable {
  /// The schema of a truth value.
  public static var generationSchema: GenerationSchema { .init(name: "Bool", shape: .boolean) }

  /// Reads a truth value.
  public init(_ content: GeneratedContent) throws {
    guard case .bool(let value) = content.kind else { throw content.fault("is not a Bool") }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { .init(kind: .bool(self)) }
}

extension String: Generable {
  /// The schema of a text.
  public static var generationSchema: GenerationSchema { .init(name: "String", shape: .string) }

  /// Reads a text.
  public init(_ content: GeneratedContent) throws {
    guard case .string(let value) = content.kind else { throw content.fault("is not a String") }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { .init(kind: .string(self)) }
}

extension Int: Generable {
  /// The schema of a whole number.
  public static var generationSchema: GenerationSchema { .init(name: "Int", shape: .integer) }

  /// Reads a whole number that fits in 64 bits.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.kind, let value = Int(generated: number) else {
      throw content.fault("is not an Int")
    }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { .init(kind: .number(Double(self))) }

  /// The whole number that content holds; `nil` when it holds none, or one of more than 64 bits.
  init?(generated number: Double) {
    // The greatest whole numbers of 64 bits are rounded up to a double that is none any more.
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

  /// The value as content.
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

  /// The value as content.
  public var generatedContent: GeneratedContent { .init(kind: .number(asWritten)) }
}

extension Decimal: Generable {
  /// The schema of a number.
  public static var generationSchema: GenerationSchema { .init(name: "Decimal", shape: .number) }

  /// Reads a number as the decimal that it is written as.
  ///
  /// Content holds numbers in double precision, which keeps 15 digits.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.kind,
      let value = number.isNaN ? .nan : Decimal(string: String(number))
    else {
      throw content.fault("is not a Decimal")
    }
    self = value
  }

  /// The value as content, in double precision.
  public var generatedContent: GeneratedContent { .init(kind: .number(rounded)) }

  /// The nearest number in double precision.
  var rounded: Double { Double(description) ?? .nan }
}

extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// Reads a list.
  ///
  /// While it streams, its last element may be too short to be read; it is left out until it can be.
  public init(_ content: GeneratedContent) throws {
    guard case .array(let elements) = content.kind else { throw content.fault("is not an array") }
    self = try elements.enumerated().compactMap { index, element in
      guard !element.mayBecomeAnother(Element.self) else { return nil }
      do {
        return try Element(element)
      } catch {
        guard !element.isComplete, index == elements.count - 1 else { throw error }
        return nil
      }
    }
  }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// The list as content.
  public var generatedContent: GeneratedContent {
    .init(kind: .array(map(\.generatedContent)))
  }
}

extension Array: Generable where Element: Generable {
  /// What is known of the list while it streams.
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// The schema of a list.
  public static var generationSchema: GenerationSchema {
    .init(
      name: "Array<\(Element.generationSchema.name)>",
      shape: .array(of: .type(Element.self))
    )
  }
}

extension Optional: ConvertibleToGeneratedContent, PromptRepresentable, InstructionsRepresentable
where Wrapped: ConvertibleToGeneratedContent {
  /// The wrapped value as content, or `null`.
  public var generatedContent: GeneratedContent {
    self?.generatedContent ?? .init(kind: .null)
  }
}

extension Optional where Wrapped: Generable {
  /// What is known of the wrapped value while it streams.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}

extension Never: Generable {
  /// The schema of what cannot be generated.
  public static var generationSchema: GenerationSchema { .init(name: "Never", shape: .null) }

  /// Always throws: there is no value.
  public init(_ content: GeneratedContent) throws {
    throw content.fault("cannot be a Never")
  }

  /// Never called: there is no value.
  public var generatedContent: GeneratedContent {
    switch self {}
  }
}

extension GeneratedContent: Generable {
  /// The schema of any content at all.
  public static var generationSchema: GenerationSchema { .init(name: "Any", shape: .any) }

  /// Takes content as it is.
  public init(_ content: GeneratedContent) throws {
    self = content
  }

  /// The content itself.
  public var generatedContent: GeneratedContent { self }
}
