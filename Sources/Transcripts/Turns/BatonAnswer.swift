/// The result of passing the baton.
package struct BatonAnswer: Codable, Sendable, Equatable {
  /// The agent that now holds the baton.
  package let holder: String
  /// Why the named agent cannot take the baton, or `nil` if it can or was not asked.
  package let refusal: String?

  package init(holder: String, refusal: String? = nil) {
    self.holder = holder
    self.refusal = refusal
  }
}
