package import AgentKit
package import Foundation

/// A conversation: the shared one that a person sees, or the isolated one of a friend.
package struct ConversationRecord: Sendable, Equatable, Identifiable {
  package var id: Int64
  /// What a person calls it; `nil` for a friend's.
  package var name: String?
  /// Who holds the baton.
  package var holder: String
  package var created: Date
  /// For a friend's: the turn and the call that it answers.
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
  /// Why it ended; `nil` while it is under way, or when the coordinator died in it.
  package var exit: TurnExit?
  /// Whether its entries were taken back out of the conversation.
  package var isReverted: Bool
  /// Its caps as JSON, or what a friend was given of its parent's budget; `nil` for what an older
  /// version journaled.
  package var caps: String?
  /// How often another coordinator has taken it up.
  package var resumptions = 0
  /// The seconds that it had taken when it was taken up last.
  package var spent = 0.0
  /// When that was; `nil` where it never was.
  package var resumed: Date?
}

/// An entry of a transcript as it was journaled.
package struct EntryRecord: Sendable, Equatable, Identifiable {
  /// Its place among everything that was ever journaled.
  package var id: Int64
  package var conversation: Int64
  package var turn: Int64
  /// Whose entry it is; `nil` for a person's.
  package var agent: String?
  /// The life of the worker that made it; `nil` for a person's.
  package var run: String?
  package var at: Date
  package var entry: Transcript.Entry
  /// What it cost; `nil` for what no model made, and for what an older version journaled.
  package var request: RequestRecord?
  /// How many bytes it is in the journal.
  package var size: Int
}

/// One pass of the baton.
package struct BatonRecord: Sendable, Equatable {
  package var turn: Int64
  package var from: String
  package var to: String
  /// `noCall` where no agent passed it, because the one that held it was not there.
  package var callID: String
  package var at: Date

  /// Stands for a call in a pass that none has made.
  static let noCall = ""
  /// Whether no agent passed it.
  package var isSubstitution: Bool { callID == Self.noCall }
}

/// One life of a worker.
package struct RunRecord: Sendable, Equatable, Identifiable {
  package var id: String
  package var agent: String
  package var role: Role
  /// `nil` for a template and a spare, which belong to none.
  package var conversation: Int64?
  package var pid: Int32
  package var launcher: String
  package var model: String?
  package var log: String
  package var started: Date
  package var ended: Date?
  /// How it ended, in words; `nil` while it lives, or when the coordinator died before it.
  package var outcome: String?
  /// Of which kind its death was, in a word; `nil` while it lives, and when it ended as it should.
  package var cause: String?
  package var tokensIn = 0
  package var tokensCached = 0
  package var tokensOut = 0
  /// The seconds that its requests took.
  package var seconds = 0.0

  package enum Role: String, Sendable {
    /// It has, or has had, a conversation's baton.
    case baton
    case friend
    /// Workers are forked from it.
    case template
    /// It has been started ahead of its need, and nobody has needed it.
    case spare
  }

  /// The beginning of a life.
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
