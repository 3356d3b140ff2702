/// Identifies one piece of generated content while it streams, so that a view can follow it.
public struct GenerationID: Sendable, Hashable {
  private let value: UInt64

  /// Makes an identifier that no other has.
  public init() {
    value = UInt64.random(in: .min ... .max)
  }
}
