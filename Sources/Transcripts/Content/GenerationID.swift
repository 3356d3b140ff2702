/// The identity of a piece of generated content while it streams, so that a view can follow it.
///
/// If a `@Generable` type has a property `id` of this type, it receives the identity of its
/// content.
public struct GenerationID: Sendable, Hashable {
  private let value: UInt64

  /// Creates a unique identifier.
  public init() {
    value = UInt64.random(in: .min ... .max)
  }

  private init(value: UInt64) {
    self.value = value
  }

  /// Returns the identifier of a part, which is always the same for the same part of the same
  /// whole.
  func part(_ step: some Hashable) -> GenerationID {
    var hasher = Hasher()
    hasher.combine(value)
    hasher.combine(step)
    return GenerationID(value: UInt64(truncatingIfNeeded: hasher.finalize()))
  }
}
