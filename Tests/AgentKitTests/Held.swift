import AgentKit
import Synchronization

/// A box that gives a session to code that receives none.
final class Held: Sendable {
  private let storage = Mutex<LanguageModelSession?>(nil)

  func get() -> LanguageModelSession? { storage.withLock { $0 } }

  func set(_ session: LanguageModelSession?) {
    storage.withLock { $0 = session }
  }
}
