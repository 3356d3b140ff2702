import AgentKit
import Synchronization

/// Holds a session for code that is not given one.
final class Held: Sendable {
  private let storage = Mutex<LanguageModelSession?>(nil)

  func get() -> LanguageModelSession? { storage.withLock { $0 } }

  func set(_ session: LanguageModelSession?) {
    storage.withLock { $0 = session }
  }
}
