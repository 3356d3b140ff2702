/// Compares the properties of half-made values, of whatever types they are.
///
/// What `@Generable` writes for `PartiallyGenerated` compares by this: a property whose type cannot be
/// compared must not keep the whole from being.
public enum PartialEquality {
  /// Equal when the values are.
  public static func holds<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
    left == right
  }

  /// Equal when the values are the same content.
  @_disfavoredOverload
  public static func holds<Value: ConvertibleToGeneratedContent>(
    _ left: Value?,
    _ right: Value?
  ) -> Bool {
    left?.generatedContent == right?.generatedContent
  }

  /// Equal when the values look the same.
  @_disfavoredOverload
  public static func holds<Value>(_ left: Value?, _ right: Value?) -> Bool {
    String(reflecting: left) == String(reflecting: right)
  }
}
