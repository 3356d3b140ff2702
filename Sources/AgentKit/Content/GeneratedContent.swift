#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Structured content that a model generated: a JSON value whose objects keep the order of their
/// keys.
///
/// Equality compares values and ignores `id`, so content that has been encoded as JSON and decoded
/// again equals the original.
public struct GeneratedContent: Sendable, Equatable {
  /// The kind of a piece of content, with its value.
  public enum Kind: Sendable, Equatable {
    /// JSON's `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number; like JSON, content has only one kind of number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([GeneratedContent])
    /// An object, with its keys in the order in which they were generated.
    case structure(properties: [String: GeneratedContent], orderedKeys: [String])
  }

  /// The identity of the content while it streams, or `nil` if nothing tracks it.
  public var id: GenerationID?
  /// The value, with its kind.
  public let kind: Kind
  /// Whether the value was generated completely.
  ///
  /// Content read from incomplete JSON is not complete.
  public let isComplete: Bool

  /// Creates content of the given kind.
  public init(kind: Kind, id: GenerationID? = nil) {
    self.init(kind: kind, id: id, isComplete: true)
  }

  init(kind: Kind, id: GenerationID?, isComplete: Bool) {
    self.kind = kind
    self.id = id
    self.isComplete = isComplete
  }

  /// Creates content from a value that can be represented as content.
  public init(_ value: some ConvertibleToGeneratedContent) {
    self = value.generatedContent
  }

  /// Creates content from a value, with an identity.
  public init(_ value: some ConvertibleToGeneratedContent, id: GenerationID) {
    self = value.generatedContent
    self.id = id
  }

  /// Creates an object from literal keys and values, in the order written.
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

  /// Creates an object from a sequence of keys and values.
  ///
  /// - Parameters:
  ///   - properties: The keys and values, in order.
  ///   - id: The identity of the content.
  ///   - combine: A closure that chooses between two values of the same key. The key keeps its
  ///     first position.
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

  /// Creates an array.
  public init<S: Sequence>(elements: S, id: GenerationID? = nil)
  where S.Element == any ConvertibleToGeneratedContent {
    self.init(kind: .array(elements.map(\.generatedContent)), id: id)
  }

  /// Returns whether two pieces of content have equal values; identities are ignored.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind
  }
}

extension GeneratedContent {
  /// Returns the content with an identity, and with identities for everything nested in it.
  ///
  /// The nested identities stay the same as long as the outer identity does.
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
  /// An error that says why content could not be read.
  public struct ParsingError: LocalizedError, Sendable, CustomDebugStringConvertible {
    /// The text that could not be read.
    public var rawContent: String
    /// The underlying error, if there is one.
    public var underlyingError: (any Error)?
    /// A description of what was expected, and where.
    public var debugDescription: String
    /// The problem that the description puts into words; `nil` if it is not about a part of content.
    var fault: Fault?

    /// Creates an error about a text.
    public init(
      rawContent: String,
      underlyingError: (any Error)? = nil,
      debugDescription: String
    ) {
      self.rawContent = rawContent
      self.underlyingError = underlyingError
      self.debugDescription = debugDescription
    }

    /// A description of what was expected, and where.
    public var errorDescription: String? { debugDescription }
  }
}
