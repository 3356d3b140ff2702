/// Caches token counts of texts, because the same entries of a conversation are counted before
/// every request.
struct TextCounts {
  /// The most bytes of text that are kept.
  private static let maximumBytes = 1 << 20

  // Keyed by bytes, because equal strings need not be the same tokens.
  private var counts: [[UInt8]: Int] = [:]
  private var bytes = 0

  subscript(text: String) -> Int? { counts[Array(text.utf8)] }

  mutating func keep(_ count: Int, of text: String) {
    let text = Array(text.utf8)
    guard text.count <= Self.maximumBytes / 4 else { return }
    if bytes + text.count > Self.maximumBytes { self = TextCounts() }
    if counts.updateValue(count, forKey: text) == nil { bytes += text.count }
  }
}
