import Coordination

/// Keeps unread text of one reader from piling up.
///
/// A reader that is too slow is not shown how an answer grows, and gets it when it is complete.
struct TextBackpressure {
  /// The bytes of text that may be on their way to one reader.
  static let maximumBytes = 4 << 20

  private var unread = 0
  /// The entry whose text was last left out; its later changes build on what is missing.
  private var leftOut: String?

  /// Whether to send an event.
  mutating func admits(_ event: TurnEvent) -> Bool {
    guard let text = event.unfinishedText else { return true }
    guard text.entry != leftOut, unread <= Self.maximumBytes else {
      leftOut = text.entry
      return false
    }
    unread += text.bytes
    return true
  }

  /// Records that an event has been read.
  mutating func recordRead(_ event: TurnEvent) {
    if let text = event.unfinishedText { unread -= text.bytes }
  }
}
