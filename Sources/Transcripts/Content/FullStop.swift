extension String {
  /// The string as the end of a sentence, with a full stop added unless it already has one.
  package var withFullStop: String { hasSuffix(".") ? self : self + "." }
}
