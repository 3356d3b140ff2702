import AgentKit
import Synchronization

/// The state of the app in the hiking article's examples: a visit to a museum.
final class Visit: Sendable {
  enum Stop: Sendable { case choosing, touring, asking }

  private let state = Mutex(Stop.choosing)
  let farModel: ScriptedLanguageModel
  let nearModel: ScriptedLanguageModel

  init(far: ScriptedLanguageModel, near: ScriptedLanguageModel) {
    farModel = far
    nearModel = near
  }

  var stop: Stop {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
