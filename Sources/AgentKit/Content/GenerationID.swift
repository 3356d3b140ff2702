/// Identifies one piece of generated content while it streams, so that a view can follow it.
///
/// A `@Generable` type that has a property `id` of this type is given that of its content.
public struct GenerationID: Sendable, Hashable {
  private let value: UInt64

  /// Makes an identifier that no other has.
  public init() {
    value = UInt64.random(in: .min ... .max)
  }

  private init(value: UInt64) {
    self.value = value
  }

  /// The identifier of a part: the same each time for the same part of the same whole.
  func part(_ step: some Hashable) -> GenerationID {
    var hasher = Hasher()
    hasher.combine(value)
    hasher.combine(step)
    return GenerationID(value: UInt64(truncatingIfNeeded: hasher.finalize()))
  }
}
