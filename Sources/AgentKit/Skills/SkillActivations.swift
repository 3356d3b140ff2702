public import Observation
import Synchronization

/// The set of active skills.
///
/// The set is observable, and reports only actual changes. The app may change it too, from a hook
/// or while no response is in progress. A skill's callbacks are called only for changes by the
/// model.
public final class SkillActivations: Sendable, Observable {
  private let names = Mutex<[String]>([])
  private let observations = ObservationRegistrar()

  /// Creates a set in which no skill is active.
  public init() {}

  /// The names of the active skills, in order of activation.
  public var activeSkillNames: [String] {
    observations.access(self, keyPath: \.activeSkillNames)
    return names.withLock { $0 }
  }

  /// Returns whether a skill is active.
  public func isActive(_ name: String) -> Bool { activeSkillNames.contains(name) }

  /// Activates a skill.
  public func activate(_ name: String) {
    change { if !$0.contains(name) { $0.append(name) } }
  }

  /// Deactivates a skill.
  public func deactivate(_ name: String) {
    change { $0.removeAll { $0 == name } }
  }

  private func change(_ change: (inout [String]) -> Void) {
    var changed = names.withLock { $0 }
    let before = changed
    change(&changed)
    guard changed != before else { return }
    // Apply the change again to the current value: observers are notified first, and may be slow.
    observations.withMutation(of: self, keyPath: \.activeSkillNames) {
      names.withLock { change(&$0) }
    }
  }
}
