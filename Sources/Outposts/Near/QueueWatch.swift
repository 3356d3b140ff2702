/// Asks an engine that gives out machines what became of a launch.
package protocol QueueWatch: Sendable {
  /// Returns where a launch stands; `nil` when the engine cannot say.
  ///
  /// - Parameter instance: What `{instance}` stood for in its arguments.
  func place(of instance: String) async -> QueuePlace?
}

/// Where a launch stands with an engine.
package enum QueuePlace: Sendable, Equatable {
  /// It waits, for this reason in the engine's own word.
  case waiting(reason: String)
  /// It can never be given a machine.
  case impossible(reason: String)
  case running
}
