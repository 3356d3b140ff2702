package import PlatformLibraries
package import Wire

/// A process that belongs to no conversation.
package struct Standby: Sendable {
  package enum Kind: String, Sendable {
    /// Workers are forked from it.
    case template
    /// It becomes a worker when one of its agent is wanted.
    case spare
  }

  package let kind: Kind
  package let run: RunID
  package let pid: Int32
  /// The name shown to a person, such as `template-title`.
  package let name: String
  /// The model's file; `nil` for the program's template.
  package let model: String?
  package let log: String
  package let launched: Date
  /// Whether it has done what it was started for.
  package var isReady = false
  /// How far it has come with that; `nil` when it does not take long, or is not under way.
  package var progress: WorkProgress?
}
