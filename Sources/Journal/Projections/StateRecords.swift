package import Foundation
package import Transcripts

/// An agent's change to the state that the agents of a conversation share.
package struct StateRecord: Sendable, Equatable {
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var change: StateChange
}

/// A worker that died in the middle of a turn.
package struct DeathRecord: Sendable, Equatable, Codable {
  package var run: String
  package var agent: String
  package var turn: Int64
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  /// How it ended, in words.
  package var cause: String
  /// The last lines of its log, oldest first.
  package var lastLines: [String]
  /// The tokens that it generated during its life.
  package var tokensOut: Int
  /// What it had begun to say; `nil` when it was saying nothing.
  package var partialText: String?
}
