import Coordination
import Synchronization

/// Keeps text that nobody reads from piling up: whoever reads too slowly, or not at all, is not shown
/// how an answer comes about, and has it when it is whole.
final class TextValve: Sendable {
  /// What may be on its way to one reader.
  static let maximumBytes = 4 << 20

  private struct State {
    var unread = 0
    /// The entry whose text was left out last: each change of it builds on the one before.
    var leftOut: String?
  }

  private let state = Mutex(State())

  /// Whether an event is to be sent.
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

  /// A line has been read.
  func read(_ line: PromptLine) {
    guard case .event(let event) = line, let text = event.unfinishedText else { return }
    state.withLock { $0.unread -= text.bytes }
  }
}
