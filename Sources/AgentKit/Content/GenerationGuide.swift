#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A bound on what a model may generate for one value, enforced while it generates.
///
/// Several guides of one value hold together, with those that its type brings along: of bounds of
/// numbers and counts the tightest ones, of lists of choices what they have in common. Of several
/// patterns only the last one holds. Guides that nothing can keep to, such as a minimum above the
/// maximum, end the request with `LanguageModelError.unsupportedGenerationGuide` before the model is
/// asked.
public struct GenerationGuide<Value>: Sendable {
  let constraints: [GenerationConstraint]
}

extension GenerationGuide where Value == String {
  /// Exactly this text.
  public static func constant(_ value: String) -> Self { .init(constraints: [.constant(value)]) }

  /// One of these texts.
  public static func anyOf(_ values: [String]) -> Self { .init(constraints: [.anyOf(values)]) }
}

extension GenerationGuide where Value == String {
  /// A text that a pattern matches as a whole.
  ///
  /// Of several patterns for one text, only the last one is applied.
  ///
  /// A model is held to literals, classes of characters, groups, choices and repetitions. A pattern
  /// that is made of anything else (look-around, back references, word borders, flags), or that
  /// exists only as code, ends the request with `LanguageModelError.unsupportedGenerationGuide`
  /// before the model is asked.
  public static func pattern<Output>(_ regex: Regex<Output>) -> Self {
    .init(constraints: [GenerationConstraint(regex)])
  }
}

extension GenerationGuide where Value == Int {
  /// No less than this.
  public static func minimum(_ value: Int) -> Self { .init(constraints: [.minimum(Double(value))]) }

  /// No more than this.
  public static func maximum(_ value: Int) -> Self { .init(constraints: [.maximum(Double(value))]) }

  /// Within this range, its ends included.
  public static func range(_ range: ClosedRange<Int>) -> Self {
    .init(constraints: [.minimum(Double(range.lowerBound)), .maximum(Double(range.upperBound))])
  }
}

extension GenerationGuide where Value: BinaryFloatingPoint {
  /// No less than this.
  public static func minimum(_ value: Value) -> Self {
    .init(constraints: [.minimum(value.asWritten)])
  }

  /// No more than this.
  public static func maximum(_ value: Value) -> Self {
    .init(constraints: [.maximum(value.asWritten)])
  }

  /// Within this range, its ends included.
  public static func range(_ range: ClosedRange<Value>) -> Self {
    .init(
      constraints: [.minimum(range.lowerBound.asWritten), .maximum(range.upperBound.asWritten)]
    )
  }
}

extension BinaryFloatingPoint {
  /// The number that is written like this one: the nearest to 0.1 in single precision is not the
  /// nearest in double, and nobody means the difference.
  var asWritten: Double { Double("\(self)") ?? Double(self) }
}

extension GenerationGuide where Value == Decimal {
  /// No less than this.
  public static func minimum(_ value: Decimal) -> Self {
    .init(constraints: [.minimum(value.rounded)])
  }

  /// No more than this.
  public static func maximum(_ value: Decimal) -> Self {
    .init(constraints: [.maximum(value.rounded)])
  }

  /// Within this range, its ends included.
  public static func range(_ range: ClosedRange<Decimal>) -> Self {
    .init(
      constraints: [.minimum(range.lowerBound.rounded), .maximum(range.upperBound.rounded)]
    )
  }
}

extension GenerationGuide {
  /// At least this many elements.
  public static func minimumCount<Element>(_ count: Int) -> Self where Value == [Element] {
    .init(constraints: [.minimumCount(count)])
  }

  /// At most this many elements.
  public static func maximumCount<Element>(_ count: Int) -> Self where Value == [Element] {
    .init(constraints: [.maximumCount(count)])
  }

  /// A number of elements within this range, its ends included.
  public static func count<Element>(_ range: ClosedRange<Int>) -> Self where Value == [Element] {
    .init(constraints: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)])
  }

  /// Exactly this many elements.
  public static func count<Element>(_ count: Int) -> Self where Value == [Element] {
    .init(constraints: [.minimumCount(count), .maximumCount(count)])
  }

  /// A bound on each element.
  public static func element<Element>(_ guide: GenerationGuide<Element>) -> Self
  where Value == [Element] {
    .init(constraints: [.element(guide.constraints)])
  }
}

// `@Guide(.count(3))` has no type to infer the element from; these make the literal type-check, and
// the property's own type decides what they bound.
extension GenerationGuide where Value == [Never] {
  /// At least this many elements.
  public static func minimumCount(_ count: Int) -> Self {
    .init(constraints: [.minimumCount(count)])
  }

  /// At most this many elements.
  public static func maximumCount(_ count: Int) -> Self {
    .init(constraints: [.maximumCount(count)])
  }

  /// A number of elements within this range, its ends included.
  public static func count(_ range: ClosedRange<Int>) -> Self {
    .init(constraints: [.minimumCount(range.lowerBound), .maximumCount(range.upperBound)])
  }

  /// Exactly this many elements.
  public static func count(_ count: Int) -> Self {
    .init(constraints: [.minimumCount(count), .maximumCount(count)])
  }
}
