import GRDB
import Transcripts

/// Reads a conversation's records other than turns and entries, as opening or showing it would.
struct RecordCheck {
  private let conversation: Int64
  private let db: Database
  private(set) var flaws: [JournalFlaw] = []
  /// The edits of the history; `nil` when one of them cannot be read.
  private(set) var edits: [HistoryEditRecord]?

  init(_ conversation: Int64, _ db: Database) throws {
    (self.conversation, self.db) = (conversation, db)
    try read("conversation", "id = ?") { try ConversationRecord($0) }
    try read("property") { try PropertyRecord($0) }
    edits = try read("historyEdit") { try HistoryEditRecord($0) }
    try read("context") { try ContextRecord($0) }
    try read("usage") { try UsageRecord($0) }
    try read("death") { try DeathRecord($0) }
    try read("run") { try RunRecord($0) }
    // These are looked up by their turns.
    let ofTurns = "turn IN (SELECT id FROM turn WHERE conversation = ?)"
    try read("approval", ofTurns) { try ApprovalRecord($0) }
    try read("baton", ofTurns) { try BatonRecord($0) }
  }

  /// Returns the flaws of runs that belong to no conversation, such as those of templates.
  static func flawsOfTemplates(_ db: Database) throws -> [JournalFlaw] {
    var flaws: [JournalFlaw] = []
    for row in try Row.fetchAll(db, sql: "SELECT * FROM run WHERE conversation IS NULL") {
      flaws.read(row.place(in: "run")) { try RunRecord(row) }
    }
    return flaws
  }

  /// Reads the rows of a table.
  /// - Returns: `nil` when one of them cannot be read.
  @discardableResult
  private mutating func read<Record>(
    _ table: String,
    _ condition: String = "conversation = ?",
    _ record: (Row) throws -> Record
  ) throws -> [Record]? {
    let sql = "SELECT * FROM \(table) WHERE \(condition) ORDER BY id"
    var records: [Record]? = []
    for row in try Row.fetchAll(db, sql: sql, arguments: [conversation]) {
      if let found = flaws.read(row.place(in: table), { try record(row) }) {
        records?.append(found)
      } else {
        records = nil
      }
    }
    return records
  }

  /// Returns the flaw that keeps the edits of a history from being applied again, if there is one.
  /// - Parameter entries: The entries in order, without the turns that were taken back.
  static func misfit(of edits: [HistoryEditRecord], in entries: [EntryRecord]) -> JournalFlaw? {
    var flaw: JournalFlaw?
    _ = entries.history(with: edits) { record, history in
      do throws(HistoryEdit.Misfit) {
        return try record.edit.applied(to: history)
      } catch {
        // Later edits apply to the result of this one, so only the first flaw counts.
        flaw =
          flaw
          ?? JournalFlaw(
            place: "historyEdit \(record.id)",
            problem: "it does not fit: it edits \(error.expected) entries, but finds \(error.found)"
          )
        return history
      }
    }
    return flaw
  }
}

extension Row {
  /// The place of the row, for a flaw.
  fileprivate func place(in table: String) -> String {
    let id: DatabaseValue = self["id"]
    return id.storage.value.map { "\(table) \($0)" } ?? table
  }
}

extension [JournalFlaw] {
  /// Reads a record, and notes what keeps it from being read.
  @discardableResult
  mutating func read<Record>(_ place: String, _ record: () throws -> Record) -> Record? {
    do {
      return try record()
    } catch {
      append(JournalFlaw(place: place, problem: "it cannot be read: \(UnreadableValue(error))"))
      return nil
    }
  }
}
