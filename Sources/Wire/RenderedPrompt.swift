/// The prompt of a request as its model was given it.
package struct RenderedPrompt: Codable, Sendable, Equatable {
  /// The most bytes of each part; what is longer lacks its middle.
  package static let maximumBytes = 256 * 1024

  package var tokens: Int
  /// Those that the context held already, from the beginning.
  package var cached: Int
  package var cachedText: String
  package var computedText: String

  package init(tokens: Int, cached: Int, cachedText: String, computedText: String) {
    (self.tokens, self.cached) = (tokens, cached)
    self.cachedText = Self.bounded(cachedText)
    self.computedText = Self.bounded(computedText)
  }

  private static func bounded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > maximumBytes else { return text }
    let half = maximumBytes / 2 - 64
    let start = String(decoding: bytes.prefix(half), as: UTF8.self)
    let end = String(decoding: bytes.suffix(half), as: UTF8.self)
    return "\(start)\n… \(bytes.count - 2 * half) bytes are left out …\n\(end)"
  }
}
