public import Observation
import Synchronization

/// Which skills are active.
///
/// It can be observed, and tells only of changes. The app may change it too, while no response is under
/// way or from a hook; callbacks of a skill are for what the model does, and are not called then.
public final class SkillActivations: Sendable, Observable {
  private let names = Mutex<[String]>([])
  private let observations = ObservationRegistrar()

  /// Makes a set in which no skill is active.
  public init() {}

  /// The names of the active skills, in the order in which they were activated.
  public var activeSkillNames: [String] {
    observations.access(self, keyPath: \.activeSkillNames)
    return names.withLock { $0 }
  }

  /// Whether a skill is active.
  public func isActive(_ name: String) -> Bool { activeSkillNames.contains(name) }

  /// Makes a skill active.
  public func activate(_ name: String) {
    change { if !$0.contains(name) { $0.append(name) } }
  }

  /// Makes a skill inactive.
  public func deactivate(_ name: String) {
    change { $0.removeAll { $0 == name } }
  }

  private func change(_ change: (inout [String]) -> Void) {
    var changed = names.withLock { $0 }
    let before = changed
    change(&changed)
    guard changed != before else { return }
    // Again on what is there now: who observes hears of the change before it happens, and may be slow.
    observations.withMutation(of: self, keyPath: \.activeSkillNames) {
      names.withLock { change(&$0) }
    }
  }
}
