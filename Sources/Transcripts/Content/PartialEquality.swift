/// Comparison of partially generated properties of any type.
///
/// The code that `@Generable` generates for `PartiallyGenerated` compares this way, because a
/// property whose type is not `Equatable` must not keep the whole value from being so.
public enum PartialEquality {
  /// Returns whether two values are equal.
  public static func holds<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
    left == right
  }

  /// Returns whether two values have equal content.
  @_disfavoredOverload
  public static func holds<Value: ConvertibleToGeneratedContent>(
    _ left: Value?,
    _ right: Value?
  ) -> Bool {
    left?.generatedContent == right?.generatedContent
  }

  /// Returns whether two values have the same textual representation.
  @_disfavoredOverload
  public static func holds<Value>(_ left: Value?, _ right: Value?) -> Bool {
    String(reflecting: left) == String(reflecting: right)
  }
}
