import Foundation
import GRDB
import Transcripts

/// The tables `conversation`, `turn` and `run`, which follow from the log.
///
/// A fact changes them in the transaction that writes it. Applying all facts of a log to empty
/// tables therefore makes the same rows. The constraints of the tables refuse facts that do not fit
/// those before them.
enum Projection {
  /// The tables, in an order in which their rows can be inserted.
  static let tables = ["conversation", "turn", "run"]

  /// - Throws: `DatabaseError` or `InvalidValue` when the fact does not fit those before it.
  static func apply(_ fact: Fact, _ db: Database) throws {
    let at = fact.at.timeIntervalSince1970
    if fact.turn == nil, !Fact.Event.Kind.outside.contains(fact.event.kind) {
      throw InvalidValue("it belongs to no turn")
    }
    switch fact.event {
    case .began(let start):
      try db.perform(
        sql: """
          INSERT INTO conversation
            (id, name, holder, created, parentTurn, parentCall, origin, isTemporary)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          fact.conversation, start.name, start.holder, at, start.parent?.turn,
          start.parent?.callID, start.origin, start.isTemporary ?? false,
        ]
      )
    case .prompted(_, let caps, _, let request):
      try db.perform(
        sql: "INSERT INTO turn (id, conversation, started, caps, request) VALUES (?, ?, ?, ?, ?)",
        arguments: [fact.turn, fact.conversation, at, caps, request]
      )
    case .importedEntry:
      // What comes before all turns is no part of one, and is not taken back with one.
      let sql = "SELECT EXISTS (SELECT 1 FROM turn WHERE conversation = ?)"
      if try Bool.fetchOne(db, sql: sql, arguments: [fact.conversation]) ?? false {
        throw InvalidValue("it follows a turn")
      }
    case .passedBaton(let pass):
      // The end of a turn has the last word on who holds the baton.
      try db.perform(
        sql: """
          UPDATE conversation SET holder = ?
          WHERE id = ? AND EXISTS (SELECT 1 FROM turn WHERE id = ? AND exit IS NULL)
          """,
        arguments: [pass.to, fact.conversation, fact.turn]
      )
    case .ended(let exit, let holder):
      try db.perform(
        sql: "UPDATE turn SET ended = ?, exit = ?, isReverted = ? WHERE id = ?",
        arguments: [at, try JSON.encode(exit), holder != nil, fact.turn]
      )
      guard let holder else { return }
      try db.perform(
        sql: "UPDATE conversation SET holder = ? WHERE id = ?",
        arguments: [holder, fact.conversation]
      )
    case .resumed(let spent):
      try db.perform(
        sql: """
          UPDATE turn SET resumptions = resumptions + 1, spent = ?, resumed = ? WHERE id = ?
          """,
        arguments: [spent, at, fact.turn]
      )
    case .answeredClient:
      // Its client stands by the turn, as the sender of a prompt does by a new one.
      try db.perform(sql: "UPDATE turn SET resumptions = 0 WHERE id = ?", arguments: [fact.turn])
    case .leftOpen:
      try db.perform(
        sql: "UPDATE turn SET resumptions = MAX(0, resumptions - 1) WHERE id = ?",
        arguments: [fact.turn]
      )
    case .imported:
      try db.perform(sql: "UPDATE turn SET isImported = 1 WHERE id = ?", arguments: [fact.turn])
    case .recorded(_, let usage?): try add(usage, of: fact, db)
    case .changedState(let change):
      if let usage = change.usage { try add(usage, of: fact, db) }
    case .launched(let start): try insert(start, of: fact, db)
    case .exited(let end):
      try db.perform(
        sql: "UPDATE run SET ended = ?, outcome = ?, cause = ? WHERE id = ? AND conversation = ?",
        arguments: [at, end.outcome, end.cause, fact.run, fact.conversation]
      )
    case .recorded(_, nil), .returnedEarly, .phoned, .friendEnded, .askedApproval,
      .answeredApproval, .deliveredApproval, .calledServer, .askedClient, .abandonedRequest,
      .died:
      break
    }
  }

  /// Adds a run, unless it is known: a copy of a session has the runs of its original.
  private static func insert(_ start: RunStart, of fact: Fact, _ db: Database) throws {
    guard let run = fact.run, let agent = fact.agent else {
      throw InvalidValue("it has no run or no agent")
    }
    try db.perform(
      sql: """
        INSERT INTO run (id, agent, role, conversation, pid, launcher, host, model, log, started)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
        """,
      arguments: [
        run, agent, start.role.rawValue, fact.conversation, start.pid, start.launcher, start.host,
        start.model, start.log, start.started.timeIntervalSince1970,
      ]
    )
  }

  /// Adds the usage of a request to its run, but not that of a copy to the run of its original.
  private static func add(_ usage: RequestUsage, of fact: Fact, _ db: Database) throws {
    try db.perform(
      sql: """
        UPDATE run SET tokensIn = MIN(tokensIn + ?, \(ValueLimits.sum)),
          tokensCached = MIN(tokensCached + ?, \(ValueLimits.sum)),
          tokensOut = MIN(tokensOut + ?, \(ValueLimits.sum)),
          seconds = MIN(seconds + ?, \(ValueLimits.seconds)),
          contextSize = IFNULL(?, contextSize)
        WHERE id = ? AND conversation = ?
        """,
      arguments: [
        usage.tokensIn, usage.tokensCached, usage.tokensOut, usage.seconds, usage.contextSize,
        fact.run, fact.conversation,
      ]
    )
  }
}
