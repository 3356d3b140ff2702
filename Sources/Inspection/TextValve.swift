import Coordination
import Synchronization

/// Keeps unread text from piling up.
///
/// A reader that is too slow, or does not read at all, is not shown how an answer grows and gets it
/// only when it is complete.
final class TextValve: Sendable {
  /// The bytes of text that may be on their way to one reader.
  static let maximumBytes = 4 << 20

  private struct State {
    var unread = 0
    /// The entry whose text was last left out; its later changes build on what is missing.
    var leftOut: String?
  }

  private let state = Mutex(State())

  /// Whether to send an event.
  func admits(_ event: TurnEvent) -> Bool {
    guard let text = event.unfinishedText else { return true }
    return state.withLock { state in
      guard text.entry != state.leftOut, state.unread <= Self.maximumBytes else {
        state.leftOut = text.entry
        return false
      }
      state.unread += text.bytes
      return true
    }
  }

  /// Records that a line has been read.
  func read(_ line: PromptLine) {
    guard case .event(let event) = line, let text = event.unfinishedText else { return }
    state.withLock { $0.unread -= text.bytes }
  }
}
