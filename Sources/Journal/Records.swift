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

  package struct Parent: Sendable, Equatable {
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
  /// The caps, or a friend's share of its parent's budget, as JSON; `nil` in older journals.
  package var caps: String?
  /// How often another coordinator has resumed it.
  package var resumptions = 0
  /// The seconds that it had taken when it was last resumed.
  package var spent = 0.0
  /// When it was last resumed; `nil` if it never was.
  package var resumed: Date?
  /// Whether it had no end in the file that it was imported from.
  ///
  /// Then nobody here has asked for it, nor approved what the file says is approved. What a person
  /// here approves before the turn has an end is asked again by a later coordinator.
  package var isImported = false
}

/// An entry of a transcript as it was journaled.
package struct EntryRecord: Sendable, Equatable, Identifiable {
  /// Its place in the whole journal.
  package var id: Int64
  package var conversation: Int64
  package var turn: Int64
  /// The agent that made it; `nil` for a person's entry.
  package var agent: String?
  /// The run of the worker that made it; `nil` for a person's entry.
  package var run: String?
  package var at: Date
  package var entry: Transcript.Entry
  /// The cost; `nil` when no model made the entry or an older version journaled it.
  package var request: RequestRecord?
  /// The size in the journal, in bytes.
  package var size: Int
}

/// One pass of the baton.
package struct BatonRecord: Sendable, Equatable {
  package var turn: Int64
  package var from: String
  package var to: String
  /// The call that passed it; `noCall` when it moved because its holder was not available.
  package var callID: String
  package var at: Date

  /// Stands for the missing call of a substitution.
  static let noCall = ""
  /// Whether no agent passed the baton.
  package var isSubstitution: Bool { callID == Self.noCall }
}

/// One run of a worker.
package struct RunRecord: Sendable, Equatable, Identifiable {
  package var id: String
  package var agent: String
  package var role: Role
  /// The conversation; `nil` for a template or a spare, which belong to none.
  package var conversation: Int64?
  package var pid: Int32
  package var launcher: String
  package var model: String?
  /// The path of its log; empty for a run that was imported.
  package var log: String
  package var started: Date
  package var ended: Date?
  /// How it ended, in words; `nil` while it lives, or when the coordinator died first.
  package var outcome: String?
  /// The kind of death in a word; `nil` while it lives, or when it ended normally.
  package var cause: String?
  package var tokensIn = 0
  package var tokensCached = 0
  package var tokensOut = 0
  /// The seconds that its requests took.
  package var seconds = 0.0

  package enum Role: String, Sendable {
    /// It has or had a conversation's baton.
    case baton
    case friend
    /// Workers are forked from it.
    case template
    /// It was started ahead of need and has not been needed yet.
    case spare
  }

  /// Makes the record of a run that begins.
  package init(
    id: String,
    agent: String,
    role: Role,
    conversation: Int64?,
    pid: Int32,
    launcher: String,
    model: String?,
    log: String,
    started: Date
  ) {
    self.id = id
    self.agent = agent
    self.role = role
    self.conversation = conversation
    self.pid = pid
    self.launcher = launcher
    self.model = model
    self.log = log
    self.started = started
  }
}
