import Foundation
import GRDB
import Transcripts

/// Applies a log to empty tables and compares the result with what is stored.
struct LogReplay {
  private let scope: SessionScope
  private let db: Database
  /// The tables as the log makes them.
  private let tables: DatabaseQueue
  private var histories = HistoryCheck()
  /// The sessions with facts that cannot be read or applied, so that the rest of them proves nothing.
  private var unclear: Set<String?> = []
  /// The sessions of the conversations.
  private var sessions: [Int64: String?] = [:]
  private(set) var inspection = JournalInspection()

  init(_ scope: SessionScope, _ db: Database) throws {
    (self.scope, self.db) = (scope, db)
    tables = try Self.emptyTables()
    inspection.sessions = scope.sessions
  }

  /// Returns a journal without content, in memory.
  static func emptyTables() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write(Schema.create)
    return queue
  }

  mutating func run() throws {
    try tables.writeWithoutTransaction { tables in
      try tables.execute(sql: "BEGIN")
      let sql = "SELECT * FROM fact WHERE \(scope.condition("conversation")) ORDER BY id"
      let rows = try Row.fetchCursor(db, sql: sql)
      while let row = try rows.next() { try take(row, tables) }
      for (id, conversation, problem) in histories.misfits() where try isClear(conversation) {
        try report("fact \(id)", problem, in: conversation)
      }
      for table in Projection.tables { try compare(table, tables) }
      try tables.execute(sql: "ROLLBACK")
    }
  }

  private mutating func take(_ row: Row, _ tables: Database) throws {
    let fact: Fact
    do {
      fact = try Fact(row)
    } catch {
      let conversation: Int64 = (try? row.value("conversation")) ?? 0
      unclear.insert(try session(of: conversation))
      return try report("fact \(error.id)", "it cannot be read: \(error.problem)", in: conversation)
    }
    if Fact.Event.Kind.entries.contains(fact.event.kind) { inspection.entries += 1 }
    histories.take(fact)
    do {
      try Projection.apply(fact, tables)
    } catch {
      guard unclear.insert(try session(of: fact.conversation)).inserted else { return }
      let reason = (error as? DatabaseError)?.message ?? UnreadableFact.words(for: error)
      try report("fact \(fact.id)", "it does not fit the log: \(reason)", in: fact.conversation)
    }
  }

  /// Finds rows of a projection that are not what the log says.
  private mutating func compare(_ table: String, _ tables: Database) throws {
    let column = table == "conversation" ? "id" : "conversation"
    let sql = "SELECT * FROM \(table) ORDER BY id"
    var expected: [DatabaseValue: Row] = [:]
    for row in try Row.fetchAll(tables, sql: sql) { expected[row["id"]] = row }
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      let id: DatabaseValue = row["id"]
      let conversation: Int64 = try row.value(column)
      let known = expected.removeValue(forKey: id)
      guard scope.contains(conversation) else { continue }
      if table == "turn" {
        inspection.turns += 1
        if (row["exit"] as DatabaseValue).isNull { inspection.openTurns += 1 }
      }
      guard try known != row && isClear(conversation) else { continue }
      try report(
        "\(table) \(id.storage.value ?? "")",
        "it is not what the log says",
        in: conversation
      )
    }
    for (id, row) in expected {
      let conversation: Int64 = try row.value(column)
      guard try isClear(conversation) else { continue }
      try report("\(table) \(id.storage.value ?? "")", "it is missing", in: conversation)
    }
  }

  private mutating func report(_ place: String, _ problem: String, in conversation: Int64) throws {
    let session = try session(of: conversation)
    inspection.flaws.append(JournalFlaw(place: place, problem: problem, session: session))
  }

  private mutating func isClear(_ conversation: Int64) throws -> Bool {
    try !unclear.contains(session(of: conversation))
  }

  private mutating func session(of conversation: Int64) throws -> String? {
    if let known = sessions[conversation] { return known }
    let session = try SessionScope.session(of: conversation, db)
    sessions[conversation] = .some(session)
    return session
  }
}

/// Checks whether the edits of histories fit, without the entries themselves.
struct HistoryCheck {
  private enum Change {
    case entry
    case edit(HistoryEdit)
  }

  private var changes: [Int64: [(id: Int64, turn: Int64, change: Change)]] = [:]
  /// Stands for the time before all turns.
  private static let beginning: Int64 = 0

  /// Whether a turn's entries stand; a turn that has no end stands if it is the last.
  private var stands: [Int64: Bool] = [:]
  private var lastTurns: [Int64: Int64] = [:]

  mutating func take(_ fact: Fact) {
    if case .importedEntry = fact.event {
      changes[fact.conversation, default: []].append((fact.id, Self.beginning, .entry))
      stands[Self.beginning] = true
    }
    guard let turn = fact.turn else { return }
    func add(_ change: Change) {
      changes[fact.conversation, default: []].append((fact.id, turn, change))
    }
    switch fact.event {
    case .prompted:
      lastTurns[fact.conversation] = turn
      add(.entry)
    case .recorded: add(.entry)
    case .changedState(let state):
      if let edit = state.history { add(.edit(edit)) }
    case .ended(_, let holder): stands[turn] = holder == nil
    default: break
    }
  }

  /// Returns the first edit of each conversation that does not fit the history before it.
  func misfits() -> [(id: Int64, conversation: Int64, problem: String)] {
    changes.sorted { $0.key < $1.key }.compactMap { conversation, changes in
      var count = 0
      for (id, turn, change) in changes
      where stands[turn] ?? (turn == lastTurns[conversation]) {
        do throws(HistoryEdit.Misfit) {
          switch change {
          case .entry: count += 1
          case .edit(let edit): count = try edit.check(count)
          }
        } catch {
          let problem =
            "it does not fit: it edits \(error.expected) entries, but finds \(error.found)"
          // Later edits apply to the result of this one, so only the first counts.
          return (id, conversation, problem)
        }
      }
      return nil
    }
  }
}
