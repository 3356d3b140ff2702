public import PlatformLibraries

/// A bound on what a model may generate for a value, enforced during generation.
///
/// All guides of a value apply together, along with those of its type: the tightest bounds on
/// numbers and counts, and the choices that all lists have in common. Of several patterns, only the
/// last one applies. If no value can satisfy the guides, as with a minimum above the maximum or an
/// empty list of choices, the request ends with
/// ``LanguageModelError/unsupportedGenerationGuide(_:)`` before the model is asked.
///
/// A local model can be held to about 2,000 elements of a list, and to 2,000 repetitions in a
/// pattern. A request with a greater count ends in the same way.
public struct GenerationGuide<Value>: Sendable {
  let constraints: [GenerationConstraint]
}

extension GenerationGuide where Value == String {
  /// Requires exactly this string.
  public static func constant(_ value: String) -> Self { .init(constraints: [.constant(value)]) }

  /// Requires one of these strings.
  public static func anyOf(_ values: [String]) -> Self { .init(constraints: [.anyOf(values)]) }
}

extension GenerationGuide where Value == String {
  /// Requires a string that a pattern matches as a whole.
  ///
  /// Of several patterns for one string, only the last one applies.
  ///
  /// The model can generate what the regex matches by Unicode scalars with digits of ASCII, as
  /// after `matchingSemantics(.unicodeScalar)` and `asciiOnlyDigits()`. So `\d` is a digit from 0
  /// to 9, `\w` a letter of any script, such a digit or `_`, and `CharacterClass.any` one scalar.
  ///
  /// The regex may be a literal or made with `RegexBuilder`, and may ignore case, name properties
  /// as in `\p{L}` and `[[:punct:]]`, and combine classes:
  ///
  /// ```swift
  /// @Guide(/(?i)[a-f]{2}-\p{Lu}\p{L}*/) var label: String
  /// ```
  ///
  /// What a grammar cannot say ends the request with
  /// ``LanguageModelError/unsupportedGenerationGuide(_:)``, which names it, before the model is
  /// asked: lookaround, references to captures, atomic groups, possessive repetitions, `\X`, anchors
  /// and word boundaries that are not at the ends, components whose matching is code, and captures
  /// whose closure decides what matches.
  ///
  /// A server enforces patterns in its own way. It is told `\w` and `\s` as characters of ASCII,
  /// `.` and negated classes without characters that JSON escapes, and large classes such as
  /// `\p{L}` by name.
  public static func pattern<Output>(_ regex: Regex<Output>) -> Self {
    .init(constraints: [GenerationConstraint(regex)])
  }
}

extension GenerationGuide where Value: FixedWidthInteger {
  /// Requires a number that is at least this value.
  public static func minimum(_ value: Value) -> Self { within(JSONNumber(value), nil) }

  /// Requires a number that is at most this value.
  public static func maximum(_ value: Value) -> Self { within(nil, JSONNumber(value)) }

  /// Requires a number in this range, including its ends.
  public static func range(_ range: ClosedRange<Value>) -> Self {
    within(JSONNumber(range.lowerBound), JSONNumber(range.upperBound))
  }
}

// A number that is infinite bounds nothing.

extension GenerationGuide where Value: BinaryFloatingPoint {
  /// Requires a number that is at least this value.
  public static func minimum(_ value: Value) -> Self { within(JSONNumber(value), nil) }

  /// Requires a number that is at most this value.
  public static func maximum(_ value: Value) -> Self { within(nil, JSONNumber(value)) }

  /// Requires a number in this range, including its ends.
  public static func range(_ range: ClosedRange<Value>) -> Self {
    within(JSONNumber(range.lowerBound), JSONNumber(range.upperBound))
  }
}

extension GenerationGuide {
  fileprivate static func within(_ minimum: JSONNumber?, _ maximum: JSONNumber?) -> Self {
    let bounds = [
      minimum.map(GenerationConstraint.minimum), maximum.map(GenerationConstraint.maximum),
    ]
    return .init(constraints: bounds.compactMap(\.self))
  }
}

extension GenerationGuide where Value == Decimal {
  /// Requires a number that is at least this value.
  public static func minimum(_ value: Decimal) -> Self { within(JSONNumber(value), nil) }

  /// Requires a number that is at most this value.
  public static func maximum(_ value: Decimal) -> Self { within(nil, JSONNumber(value)) }

  /// Requires a number in this range, including its ends.
  public static func range(_ range: ClosedRange<Decimal>) -> Self {
    within(JSONNumber(range.lowerBound), JSONNumber(range.upperBound))
  }
}

extension GenerationGuide {
  /// Requires at least this many elements.
  public static func minimumCount<Element>(_ count: Int) -> Self where Value == [Element] {
    .init(constraints: [.minimumCount(count)])
  }

  /// Requires at most this many elements.
  public static func maximumCount<Element>(_ count: Int) -> Self where Value == [Element] {
    .init(constraints: [.maximumCount(count)])
  }

  /// Requires a number of elements in this range, including its ends.
  public static func count<Element>(_ range: ClosedRange<Int>) -> Self where Value == [Element] {
    .init(constraints: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)])
  }

  /// Requires exactly this many elements.
  public static func count<Element>(_ count: Int) -> Self where Value == [Element] {
    .init(constraints: [.minimumCount(count), .maximumCount(count)])
  }

  /// Applies a bound to each element.
  public static func element<Element>(_ guide: GenerationGuide<Element>) -> Self
  where Value == [Element] {
    .init(constraints: [.element(guide.constraints)])
  }
}

// `@Guide(.count(3))` offers no type from which to infer the element. These overloads make the
// literal type-check, and the property's own type decides what they bound.
extension GenerationGuide where Value == [Never] {
  /// Requires at least this many elements.
  public static func minimumCount(_ count: Int) -> Self {
    .init(constraints: [.minimumCount(count)])
  }

  /// Requires at most this many elements.
  public static func maximumCount(_ count: Int) -> Self {
    .init(constraints: [.maximumCount(count)])
  }

  /// Requires a number of elements in this range, including its ends.
  public static func count(_ range: ClosedRange<Int>) -> Self {
    .init(constraints: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)])
  }

  /// Requires exactly this many elements.
  public static func count(_ count: Int) -> Self {
    .init(constraints: [.minimumCount(count), .maximumCount(count)])
  }
}
