import Transcripts

/// What a client has been sent of a text that grows.
///
/// A coordinator may take back the end of such a text; what a client has been sent stays sent.
struct SentText {
  private var entry: String?
  /// The text of the entry as it stands.
  private var text = ""
  /// What the client has of it; of another entry's text when a worker was replaced.
  private var sent = ""
  /// Whether the client has the text as it stands.
  private var isLevel = true
  /// Whether the changes were followed too late, so that the text is known only when it is complete.
  private var lacksBeginning = false

  /// Follows a change.
  /// - Returns: What the client lacks and can be sent; empty while that is not certain.
  mutating func apply(_ change: TextChange) -> String {
    let isOther = change.entryID != entry
    if isOther {
      entry = change.entryID
      text = ""
      isLevel = sent.isEmpty
      lacksBeginning = true
    }
    if change.keptBytes == 0 { lacksBeginning = false }
    if lacksBeginning { return "" }
    if isLevel, change.keptBytes == text.utf8.count {
      text += change.added
      sent = text
      return change.added
    }
    text = String(decoding: text.utf8.prefix(change.keptBytes), as: UTF8.self) + change.added
    isLevel = false
    if let rest = text.rest(after: sent) {
      (sent, isLevel) = (text, true)
      return rest
    }
    // Held: the rest of the entry may restore what was taken back.
    return ""
  }

  /// Ends the entry with its whole text.
  /// - Returns: What the client lacks of it.
  mutating func complete(_ text: String) -> String {
    defer { self = SentText() }
    return text.rest(after: sent) ?? Self.lineBreak + text
  }

  /// Stands between what a client was sent and a text that does not go on from it.
  static let lineBreak = "\n\n"
}

extension String {
  /// Returns what follows a beginning; `nil` if the text begins otherwise.
  fileprivate func rest(after beginning: String) -> String? {
    guard utf8.starts(with: beginning.utf8) else { return nil }
    return String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
  }
}
