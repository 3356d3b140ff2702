package import Foundation
package import Transcripts

/// A session property that an agent has written.
package struct PropertyRecord: Sendable, Equatable {
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var name: String
  /// The value as JSON.
  package var value: String
}

/// An edit of the history that a conversation's agents share.
///
/// What was said stays in the journal; from here on the models see another history.
package struct HistoryEditRecord: Sendable, Equatable, Identifiable {
  package var id: Int64
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var edit: HistoryEdit
}

/// How an agent's context was made to fit into its window.
package struct ContextRecord: Sendable, Equatable {
  package var turn: Int64
  package var agent: String
  package var at: Date
  /// The last entry at the time.
  package var afterEntry: Int64
  package var report: ContextReport
  /// The cost of the summary; `nil` when the model was not asked for one.
  package var request: RequestUsage?
}

/// The result of a call that returned while earlier calls of its round still ran.
package struct EarlyOutputRecord: Sendable, Equatable {
  /// The last entry at the time.
  package var afterEntry: Int64
  package var output: Transcript.ToolOutput
  /// The size of the output in bytes.
  package var size: Int
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
