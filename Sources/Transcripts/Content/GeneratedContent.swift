public import PlatformLibraries

/// Structured content that a model generated: a JSON value whose objects keep the order of their
/// keys.
///
/// Equality compares values and ignores `id`, so content that has been encoded as JSON and decoded
/// again equals the original.
///
/// ```swift
/// struct Reading {
///   func age(of json: String) throws -> Int {
///     try GeneratedContent(json: json).value(Int.self, forProperty: "age")
///   }
/// }
/// ```
///
/// ## Topics
///
/// ### Creating content
///
/// - ``init(json:)``
/// - ``init(properties:id:)``
/// - ``init(elements:id:)``
/// - ``init(kind:id:)``
///
/// ### Reading content
///
/// - ``kind``
/// - ``isComplete``
/// - ``jsonString``
/// - ``growingValue(_:forProperty:)``
/// - ``ParsingError``
public struct GeneratedContent: Sendable, Equatable {
  /// The kind of a piece of content, with its value.
  public enum Kind: Sendable, Equatable {
    /// JSON's `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number; like JSON, content has only one kind of number.
    ///
    /// This is the nearest double-precision number, which is infinite for one beyond their range.
    /// The content keeps all digits that were read: read it as an `Int` or a `Decimal` for the exact
    /// value.
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
  /// The number as it was read, of which the kind has only the nearest double-precision number.
  private let digits: JSONNumber?
  /// Whether the value was generated completely.
  ///
  /// Content read from incomplete JSON is not complete.
  public let isComplete: Bool

  /// Creates content of the given kind.
  public init(kind: Kind, id: GenerationID? = nil) {
    self.init(kind: kind, id: id, isComplete: true)
  }

  package init(kind: Kind, id: GenerationID?, isComplete: Bool) {
    self.kind = kind
    digits = nil
    self.id = id
    self.isComplete = isComplete
  }

  package init(number: JSONNumber, isComplete: Bool = true) {
    kind = .number(number.nearestDouble)
    digits = number
    id = nil
    self.isComplete = isComplete
  }

  /// Creates a copy with different parts, which are equal, and with a different state.
  private init(_ original: GeneratedContent, kind: Kind, id: GenerationID?, isComplete: Bool) {
    self.kind = kind
    digits = original.digits
    self.id = id
    self.isComplete = isComplete
  }

  /// Returns the content as complete or not, with the same value.
  package func marked(isComplete: Bool) -> GeneratedContent {
    GeneratedContent(self, kind: kind, id: id, isComplete: isComplete)
  }

  /// The number with all its digits; `nil` if the content is none that JSON can have.
  package var number: JSONNumber? {
    guard case .number(let double) = kind else { return nil }
    return digits ?? JSONNumber(double)
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
  ///
  /// Numbers are compared with all their digits, and `1.0` equals `1`.
  public static func == (left: Self, right: Self) -> Bool {
    guard let one = left.number, let other = right.number else { return left.kind == right.kind }
    return one == other
  }
}

extension GeneratedContent {
  /// Returns the content with an identity, and with identities for everything nested in it.
  ///
  /// The nested identities stay the same as long as the outer identity does.
  package func identified(as id: GenerationID) -> GeneratedContent {
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
    return GeneratedContent(self, kind: identified, id: id, isComplete: isComplete)
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
