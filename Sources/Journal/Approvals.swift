package import Foundation
import GRDB

/// The question to a person whether a call may be made.
package struct ApprovalRecord: Sendable, Equatable, Codable, Identifiable {
  package var id: Int64
  /// The session it belongs to, even if a friend asks; `nil` when read from the journal.
  package var session: String?
  package var conversation: Int64
  package var turn: Int64
  package var agent: String
  package var callID: String
  package var tool: String
  /// The arguments of the call as JSON.
  package var arguments: String
  package var asked: Date
  /// The last entry at the time; `nil` if an older version journaled it.
  package var afterEntry: Int64?
  /// The answer; `nil` while nobody has answered.
  package var answer: Answer?

  /// What the model reads when a person gave no reason.
  package static let plainDenial = "The person denied it."

  package struct Answer: Sendable, Equatable, Codable {
    package var at: Date
    /// Why the call was denied; `nil` when it was approved.
    package var denial: String?
    package var by: Answerer
  }

  /// Who decided.
  package enum Answerer: String, Sendable, Codable {
    /// A person in the chat, or one who asked a question from a terminal.
    case chat
    /// A person who used the control plane.
    case control
    /// The coordinator, because no person was present or answered in time.
    case coordinator
    /// Nobody, because the turn or its coordinator ended first.
    case nobody
  }
}

extension Journal {
  /// Records that a person is asked, before anybody is.
  package func beginApproval(
    conversation: Int64,
    turn: Int64,
    agent: String,
    callID: String,
    tool: String,
    arguments: String
  ) async throws -> ApprovalRecord {
    try await write { db in
      let now = Date()
      let last = try Int64.fetchOne(
        db,
        sql: "SELECT MAX(id) FROM entry WHERE conversation = ?",
        arguments: [conversation]
      )
      try db.execute(
        sql: """
          INSERT INTO approval
            (conversation, turn, agent, callID, tool, arguments, asked, afterEntry)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          conversation, turn, agent, callID, tool, arguments, now.timeIntervalSince1970, last,
        ]
      )
      return ApprovalRecord(
        id: db.lastInsertedRowID,
        session: try SessionScope.session(of: conversation, db),
        conversation: conversation,
        turn: turn,
        agent: agent,
        callID: callID,
        tool: tool,
        arguments: arguments,
        asked: now,
        afterEntry: last
      )
    }
  }

  /// Records a decision.
  package func endApproval(
    _ id: Int64,
    denial: String?,
    by answerer: ApprovalRecord.Answerer
  ) async throws -> ApprovalRecord.Answer {
    try await write { db in
      let now = Date()
      // Nothing is decided twice.
      try db.execute(
        sql: """
          UPDATE approval SET answered = ?, denial = ?, answeredBy = ?
          WHERE id = ? AND answered IS NULL
          """,
        arguments: [now.timeIntervalSince1970, denial, answerer.rawValue, id]
      )
      return ApprovalRecord.Answer(at: now, denial: denial, by: answerer)
    }
  }

  /// Denies what an earlier coordinator left unanswered: the calls can no longer be made.
  package func closeApprovals(because denial: String) async throws {
    try await write { db in
      try db.execute(
        sql: """
          UPDATE approval SET answered = ?, denial = ?, answeredBy = ? WHERE answered IS NULL
          """,
        arguments: [
          Date().timeIntervalSince1970, denial, ApprovalRecord.Answerer.nobody.rawValue,
        ]
      )
    }
  }
}

extension JournalReader {
  /// Returns what a person was asked in a turn, in order.
  package func approvals(of turn: Int64) async throws -> [ApprovalRecord] {
    try await read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT * FROM approval WHERE turn = ? ORDER BY id",
        arguments: [turn]
      ).map(ApprovalRecord.init)
    }
  }

  package func approval(_ id: Int64) async throws -> ApprovalRecord? {
    try await read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM approval WHERE id = ?", arguments: [id])
        .map(ApprovalRecord.init)
    }
  }
}

extension ApprovalRecord {
  init(_ row: Row) throws {
    id = try row.value("id")
    conversation = try row.value("conversation")
    turn = try row.value("turn")
    agent = try row.value("agent")
    callID = try row.value("callID")
    tool = try row.value("tool")
    arguments = try row.value("arguments")
    asked = try row.date("asked")
    afterEntry = try row.value("afterEntry")
    let answered = try row.dateIfAny("answered")
    let answerer: String? = try row.value("answeredBy")
    let denial: String? = try row.value("denial")
    answer = answered.map { answered in
      Answer(
        at: answered,
        denial: denial,
        by: answerer.flatMap(Answerer.init) ?? .nobody
      )
    }
  }
}
