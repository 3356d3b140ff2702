import Transcripts

/// The text so far of an entry that is being generated.
struct PartialText: Sendable {
  private var entryID = ""
  private var text = ""
  private var isReasoning = false

  /// The text so far, cut if it is long; `nil` when there is none.
  var excerpt: String? {
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    return text.count > Self.longest ? "\(text.prefix(Self.longest))…" : text
  }

  /// The same for the text of an answer; `nil` for reasoning.
  var excerptOfAnswer: String? { isReasoning ? nil : excerpt }

  private static let longest = 2000
  /// The bytes to keep, more than is ever shown; the rest is dropped.
  private static let maximumBytes = 64 * 1024

  mutating func append(_ change: TextChange) {
    if change.entryID != entryID { self = PartialText() }
    (entryID, isReasoning) = (change.entryID, change.isReasoning)
    if change.keptBytes < text.utf8.count {
      text = String(decoding: text.utf8.prefix(change.keptBytes), as: UTF8.self)
    }
    if text.utf8.count < Self.maximumBytes { text += change.added }
  }
}
