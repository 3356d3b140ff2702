import Coordination

/// Keeps what one reader has not read from piling up.
///
/// A reader that is too slow is not shown how an answer grows, and gets it when it is complete.
struct TextBackpressure {
  /// The bytes of text that may be on their way to one reader.
  static let maximumBytes = 4 << 20
  /// The events that may be on their way to a reader that can go on later from where it was.
  static let maximumEvents = 4096

  private var unread = 0
  private var unreadEvents = 0
  /// The entry whose text was last left out; its later changes build on what is missing.
  private var leftOut: String?

  /// Whether the reader is so far behind that it must begin anew.
  var isExceeded: Bool { unreadEvents > Self.maximumEvents }

  /// Whether to send an event.
  mutating func admits(_ event: TurnEvent) -> Bool {
    let isAdmitted = admitsText(of: event)
    if isAdmitted { unreadEvents += 1 }
    return isAdmitted
  }

  private mutating func admitsText(of event: TurnEvent) -> Bool {
    guard let text = event.unfinishedText else { return true }
    guard text.entry != leftOut, unread <= Self.maximumBytes else {
      leftOut = text.entry
      return false
    }
    unread += text.bytes
    return true
  }

  mutating func recordRead(_ event: TurnEvent) {
    unreadEvents -= 1
    if let text = event.unfinishedText { unread -= text.bytes }
  }
}
