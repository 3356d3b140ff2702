extension String {
  /// Somebody else's words at the end of a sentence: with a full stop, which they may have brought.
  package var withFullStop: String { hasSuffix(".") ? self : self + "." }
}
