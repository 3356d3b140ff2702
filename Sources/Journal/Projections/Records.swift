package import Foundation
package import Transcripts

/// A conversation: the shared one that a person sees, or the isolated one of a friend.
package struct ConversationRecord: Sendable, Equatable, Identifiable {
  package var id: Int64
  /// The name that a person uses for it; `nil` for a friend's.
  package var name: String?
  /// The agent that holds the baton.
  package var holder: String
  package var created: Date
  /// The turn and the call that a friend's conversation answers.
  package var parent: Parent?
  /// The program that began it; `nil` when unknown.
  package var origin: String?
  /// Whether it is deleted when its turn ends.
  package var isTemporary = false

  package struct Parent: Codable, Sendable, Equatable {
    package var turn: Int64
    package var callID: String
  }
}

/// One prompt and everything up to its answer.
package struct TurnRecord: Sendable, Equatable, Identifiable {
  package var id: Int64
  package var conversation: Int64
  package var started: Date
  package var ended: Date?
  /// Why it ended; `nil` while it is under way, or when the coordinator died during it.
  package var exit: TurnExit?
  /// Whether its entries were taken back out of the conversation.
  package var isReverted: Bool
  /// The caps, or a friend's share of its parent's budget, as JSON.
  package var caps: String
  /// How often another coordinator has resumed it.
  package var resumptions: Int
  /// The seconds that it had taken when it was last resumed.
  package var spent: Double
  /// When it was last resumed; `nil` if it never was.
  package var resumed: Date?
  /// Whether it had no end in the file that it was imported from.
  ///
  /// Then it was not asked for here, and what the file says is approved is not approved here. What a
  /// person here approves before the turn has an end is asked again by a later coordinator.
  package var isImported: Bool
  /// The identity of the request that asked for it.
  package var request: String?
}

/// An entry of a transcript as it was journaled.
package struct EntryRecord: Sendable, Equatable, Identifiable {
  /// Its place in the whole journal.
  package var id: Int64
  package var conversation: Int64
  /// The turn; 0 for an entry with which the conversation began.
  package var turn: Int64
  /// The agent that made it; `nil` for a person's entry.
  package var agent: String?
  /// The run of the worker that made it; `nil` for a person's entry.
  package var run: String?
  package var at: Date
  package var raw: RawEntry
  /// The cost; `nil` when no model made the entry.
  package var request: RequestUsage?

  package var entry: Transcript.Entry { raw.entry }
  /// The size in the journal, in bytes.
  package var size: Int { raw.size }
}

/// One run of a worker.
package struct RunRecord: Sendable, Equatable, Identifiable {
  package var id: String
  package var agent: String
  package var role: Role
  package var conversation: Int64
  package var pid: Int32
  package var launcher: String
  /// The host on which it ran; `nil` for the coordinator's.
  package var host: String?
  package var model: String?
  /// The path of its log; empty for a run that was imported.
  package var log: String
  package var started: Date
  package var ended: Date?
  /// How it ended, in words; `nil` while it lives, or when the coordinator died first.
  package var outcome: String?
  /// The kind of death in a word; `nil` while it lives, or when it ended normally.
  package var cause: String?
  package var tokensIn: Int
  package var tokensCached: Int
  package var tokensOut: Int
  /// The seconds that its requests took.
  package var seconds: Double
  /// The window of its model, as it last reported it; `nil` when unknown.
  package var contextSize: Int?

  /// The cause of a run that ended with its coordinator.
  package static let lost = "lost"

  package enum Role: String, Codable, Sendable {
    /// It has or had a conversation's baton.
    case baton
    case friend
  }
}
