import GRDB
import Transcripts

/// Checks whether the content of one conversation is consistent.
struct ContentCheck {
  private let conversation: Int64
  private let db: Database

  init(_ conversation: Int64, _ db: Database) {
    self.conversation = conversation
    self.db = db
  }

  /// The calls of a turn, and how often each was made and answered.
  fileprivate struct Calls {
    var made: [String: Int] = [:]
    var answered: [String: Int] = [:]
  }

  func run(adding inspection: inout JournalInspection) throws {
    inspection.flaws += try unrooted() + misplaced()
    let records = try RecordCheck(conversation, db)
    inspection.flaws += records.flaws
    // What the conversation's models see; `nil` when part of it cannot be read.
    var said: [EntryRecord]? = []
    var edits = records.edits
    let turns = try rows("SELECT * FROM turn WHERE conversation = ? ORDER BY id")
    let last: Int64? = try turns.last?.value("id")
    for row in turns {
      let id: Int64 = try row.value("id")
      inspection.turns += 1
      guard let turn = inspection.flaws.read("turn \(id)", { try TurnRecord(row) }) else {
        said = nil
        continue
      }
      if turn.ended == nil { inspection.openTurns += 1 }
      let entries = try check(turn, &inspection)
      // A turn without an end that later turns passed over: they knew nothing of it.
      let isPassedOver = turn.exit == nil && id != last
      if turn.isReverted || isPassedOver {
        edits?.removeAll { $0.turn == id }
      } else if let entries {
        said?.append(contentsOf: entries)
      } else {
        said = nil
      }
    }
    guard let said, let edits, !edits.isEmpty else { return }
    let entries = said.sorted { $0.id < $1.id }
    if let misfit = RecordCheck.misfit(of: edits, in: entries) { inspection.flaws.append(misfit) }
  }

  /// Checks a turn.
  /// - Returns: What was said in it; `nil` when part of it cannot be read.
  private func check(
    _ turn: TurnRecord,
    _ inspection: inout JournalInspection
  ) throws -> [EntryRecord]? {
    func flaw(_ place: String, _ problem: String) {
      inspection.flaws.append(JournalFlaw(place: place, problem: problem))
    }
    let here = "turn \(turn.id)"
    var calls = Calls()
    var entries: [EntryRecord] = []
    var isReadable = true
    for row in try rows("SELECT * FROM entry WHERE turn = ? ORDER BY id", turn.id) {
      let id: Int64 = try row.value("id")
      inspection.entries += 1
      guard let record = inspection.flaws.read("entry \(id)", { try EntryRecord(row) }) else {
        isReadable = false
        continue
      }
      if entries.isEmpty, isReadable {
        if case .prompt = record.entry {} else { flaw(here, "it does not begin with a prompt") }
      }
      entries.append(record)
      if let problem = calls.take(record.entry) { flaw("entry \(id)", problem) }
    }
    // Whether an unreadable entry is missing cannot be known.
    guard isReadable else { return nil }
    if entries.isEmpty { flaw(here, "it has no prompt") }
    if (turn.ended == nil) != (turn.exit == nil) { flaw(here, "its end is half written") }
    if turn.exit == .answered, !turn.isReverted, !calls.areAllAnswered {
      flaw(here, "it was answered, but the output of a call is missing")
    }
    for row in try rows("SELECT id, payload FROM earlyOutput WHERE turn = ? ORDER BY id", turn.id) {
      let (id, payload): (Int64, String) = (try row.value("id"), try row.value("payload"))
      let place = "earlyOutput \(id)"
      let entry = inspection.flaws.read(place) { try Payload.decode(payload) as Transcript.Entry }
      guard let entry else { continue }
      if case .toolOutput(let output) = entry, calls.made[output.id] != nil { continue }
      flaw(place, "it is the output of a call that was never made")
    }
    for (table, column, parent, what) in [
      ("baton", "callID", "turn", "a pass of the baton"),
      ("approval", "callID", "turn", "a question to a person"),
      ("conversation", "parentCall", "parentTurn", "a friend's conversation"),
    ] {
      let sql = "SELECT id, \(column) AS call FROM \(table) WHERE \(parent) = ? ORDER BY id"
      for row in try rows(sql, turn.id) {
        let id: Int64 = try row.value("id")
        let call: String? = try row.value("call")
        if table == "baton", call == BatonRecord.noCall { continue }
        guard calls.made[call ?? ""] == nil else { continue }
        flaw("\(table) \(id)", "it is \(what) for a call that was never made")
      }
    }
    return entries
  }

  /// Finds a conversation that is neither a person's nor that of a friend somewhere below one.
  ///
  /// Following friends from conversation to conversation would loop, or never reach this one.
  func unrooted() throws -> [JournalFlaw] {
    let sql = """
      SELECT id FROM conversation WHERE id = ? AND name IS NOT NULL AND parentTurn IS NOT NULL
      """
    let problem: String
    if try !rows(sql).isEmpty {
      problem = "it belongs both to a person and to a friend"
    } else if try SessionScope.session(of: conversation, db) == nil {
      problem = "it belongs to no session"
    } else {
      return []
    }
    return [JournalFlaw(place: "conversation \(conversation)", problem: problem)]
  }

  /// Finds misplaced rows, and entries of processes that never existed.
  ///
  /// A row of this conversation is misplaced if its turn or preceding entry belongs to another one.
  private func misplaced() throws -> [JournalFlaw] {
    var flaws: [JournalFlaw] = []
    func find(_ parent: String, by column: String, in table: String, _ problem: String) throws {
      let sql = """
        SELECT \(table).id AS id FROM \(table) JOIN \(parent) ON \(parent).id = \(table).\(column)
        WHERE \(table).conversation = ? AND \(parent).conversation <> \(table).conversation
        """
      for row in try rows(sql) {
        let id: Int64 = try row.value("id")
        flaws.append(JournalFlaw(place: "\(table) \(id)", problem: problem))
      }
    }
    let followers = [
      "property", "historyEdit", "context", "usage", "approval", "death", "earlyOutput",
    ]
    for table in ["entry"] + followers {
      try find("turn", by: "turn", in: table, "its turn is one of another conversation")
    }
    for table in followers {
      let problem = "the entry before it is one of another conversation"
      try find("entry", by: "afterEntry", in: table, problem)
    }
    let sql = """
      SELECT MIN(entry.id) AS id, entry.run AS run FROM entry LEFT JOIN run ON run.id = entry.run
      WHERE entry.conversation = ? AND entry.run IS NOT NULL AND run.id IS NULL GROUP BY entry.run
      """
    for row in try rows(sql) {
      let (id, run): (Int64, String) = (try row.value("id"), try row.value("run"))
      let problem = "it is from a process '\(run)' that is not in the journal"
      flaws.append(JournalFlaw(place: "entry \(id)", problem: problem))
    }
    return flaws
  }

  private func rows(_ sql: String, _ id: Int64? = nil) throws -> [Row] {
    try Row.fetchAll(db, sql: sql, arguments: [id ?? conversation])
  }
}

extension ContentCheck.Calls {
  fileprivate var areAllAnswered: Bool { made == answered }

  /// Takes the next entry of the turn.
  /// - Returns: What is wrong with it; `nil` if nothing is.
  fileprivate mutating func take(_ entry: Transcript.Entry) -> String? {
    switch entry {
    case .toolCalls(let calls):
      for call in calls { made[call.id, default: 0] += 1 }
    case .toolOutput(let output):
      answered[output.id, default: 0] += 1
      let count = made[output.id] ?? 0
      if count == 0 { return "it is the output of a call that was never made" }
      if answered[output.id] ?? 0 > count { return "it is a second output of the same call" }
    case .instructions, .prompt, .response, .reasoning: break
    }
    return nil
  }
}
