/// What is put into spans.
package struct SpanSettings: Sendable, Equatable {
  /// Whether spans carry what was said: messages, arguments and results.
  package var includesContents: Bool
  /// The most bytes of a text that comes from a conversation.
  package var valueBytes: Int

  /// A conversation's texts are bounded, so that a span is never larger than a request may be.
  package static let defaultValueBytes = 16 << 10

  package init(includesContents: Bool = false, valueBytes: Int = Self.defaultValueBytes) {
    (self.includesContents, self.valueBytes) = (includesContents, valueBytes)
  }
}
