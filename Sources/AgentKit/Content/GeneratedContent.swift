#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Structured content that a model produced: a JSON value whose objects keep the order of their keys.
///
/// Equality compares the values and ignores `id`, so that content which travelled through JSON
/// equals the content it came from.
public struct GeneratedContent: Sendable, Equatable {
  /// What a piece of content is.
  public enum Kind: Sendable, Equatable {
    /// JSON's `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number. JSON has one kind of number, and so has this.
    case number(Double)
    /// Text.
    case string(String)
    /// A list.
    case array([GeneratedContent])
    /// An object, with its keys in the order in which they were generated.
    case structure(properties: [String: GeneratedContent], orderedKeys: [String])
  }

  /// The identity of this content while it streams; `nil` where nobody follows it.
  public var id: GenerationID?
  /// The value itself.
  public let kind: Kind
  /// Whether the value was generated to its end.
  ///
  /// Content read from incomplete JSON is not.
  public let isComplete: Bool

  /// Makes content of a given kind.
  public init(kind: Kind, id: GenerationID? = nil) {
    self.init(kind: kind, id: id, isComplete: true)
  }

  init(kind: Kind, id: GenerationID?, isComplete: Bool) {
    self.kind = kind
    self.id = id
    self.isComplete = isComplete
  }

  /// Takes the content of a value that can be represented as content.
  public init(_ value: some ConvertibleToGeneratedContent) {
    self = value.generatedContent
  }

  /// Takes the content of a value and gives it an identity.
  public init(_ value: some ConvertibleToGeneratedContent, id: GenerationID) {
    self = value.generatedContent
    self.id = id
  }

  /// Makes an object from literal keys and values, in the order in which they are written.
  public init(
    properties: KeyValuePairs<String, any ConvertibleToGeneratedContent>,
    id: GenerationID? = nil
  ) {
    self.init(
      properties: properties.map { ($0.key, $0.value) },
      id: id,
      uniquingKeysWith: { _, last in last }
    )
  }

  /// Makes an object from a sequence of keys and values.
  /// - Parameter uniquingKeysWith: Chooses between the values of a key that occurs twice. The key
  ///   keeps its first place.
  public init<S: Sequence>(
    properties: S,
    id: GenerationID? = nil,
    uniquingKeysWith combine: (GeneratedContent, GeneratedContent) throws ->
      some ConvertibleToGeneratedContent
  ) rethrows where S.Element == (String, any ConvertibleToGeneratedContent) {
    var values: [String: GeneratedContent] = [:]
    var keys: [String] = []
    for (name, value) in properties {
      if let earlier = values[name] {
        values[name] = try combine(earlier, value.generatedContent).generatedContent
      } else {
        keys.append(name)
        values[name] = value.generatedContent
      }
    }
    self.init(kind: .structure(properties: values, orderedKeys: keys), id: id)
  }

  /// Makes a list.
  public init<S: Sequence>(elements: S, id: GenerationID? = nil)
  where S.Element == any ConvertibleToGeneratedContent {
    self.init(kind: .array(elements.map(\.generatedContent)), id: id)
  }

  /// Equal when the values are equal; identities are not compared.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind
  }
}

extension GeneratedContent {
  /// The content with an identity, and with identities for all that is in it, which stay the same as
  /// long as the whole has the same.
  func identified(as id: GenerationID) -> GeneratedContent {
    let identified: Kind =
      switch kind {
      case .array(let elements):
        .array(elements.enumerated().map { $1.identified(as: id.part($0)) })
      case .structure(let properties, let keys):
        .structure(
          properties: Dictionary(
            uniqueKeysWithValues: properties.map {
              ($0.key, $0.value.identified(as: id.part($0.key)))
            }
          ),
          orderedKeys: keys
        )
      case .null, .bool, .number, .string: kind
      }
    return GeneratedContent(kind: identified, id: id, isComplete: isComplete)
  }
}

extension GeneratedContent: CustomDebugStringConvertible {
  /// The content as JSON.
  public var debugDescription: String { jsonString }
}

extension GeneratedContent {
  /// Says why content could not be read.
  public struct ParsingError: LocalizedError, Sendable, CustomDebugStringConvertible {
    /// The text that could not be read.
    public var rawContent: String
    /// The error behind this one, if there is one.
    public var underlyingError: (any Error)?
    /// What was expected, and where.
    public var debugDescription: String

    /// Makes an error about a text.
    public init(
      rawContent: String,
      underlyingError: (any Error)? = nil,
      debugDescription: String
    ) {
      self.rawContent = rawContent
      self.underlyingError = underlyingError
      self.debugDescription = debugDescription
    }

    /// What was expected, and where.
    public var errorDescription: String? { debugDescription }
  }
}
