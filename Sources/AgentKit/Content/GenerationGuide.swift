/// A bound on what a model may generate for one value, enforced while it generates.
public struct GenerationGuide<Value>: Sendable {
  let constraints: [GenerationConstraint]
}

/// The bounds behind guides, in the terms of JSON Schema.
indirect enum GenerationConstraint: Sendable, Equatable {
  case constant(String)
  case anyOf([String])
  case pattern(String)
  case minimum(Double)
  case maximum(Double)
  case minimumCount(Int)
  case maximumCount(Int)
  case element([GenerationConstraint])
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
  /// Only a pattern that was written as a literal or as text can be shown to a model; for any other
  /// the guide bounds nothing.
  public static func pattern<Output>(_ regex: Regex<Output>) -> Self {
    .init(constraints: [GenerationConstraint(regex)].compactMap { $0 })
  }
}

extension GenerationConstraint {
  init?<Output>(_ regex: Regex<Output>) {
    // The text of a regex is underscored in the standard library; there is no other way to it.
    guard let pattern = regex._literalPattern else { return nil }
    self = .pattern(pattern)
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
    .init(constraints: [.minimum(Double(value))])
  }

  /// No more than this.
  public static func maximum(_ value: Value) -> Self {
    .init(constraints: [.maximum(Double(value))])
  }

  /// Within this range, its ends included.
  public static func range(_ range: ClosedRange<Value>) -> Self {
    .init(constraints: [.minimum(Double(range.lowerBound)), .maximum(Double(range.upperBound))])
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
