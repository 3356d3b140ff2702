import GRDB

/// The properties of a journal table that are needed to move its rows.
struct JournalTable {
  let name: String
  let columns: [String]
  /// The column that numbers the rows; `nil` when rows have names.
  let key: String?
  /// The referenced tables, by column.
  let parents: [String: String]

  /// Returns all tables in the order in which they were created.
  static func all(_ db: Database) throws -> [JournalTable] {
    try String.fetchAll(
      db,
      sql: """
        SELECT name FROM main.sqlite_master
        WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%' ORDER BY rowid
        """
    ).map { try JournalTable($0, db) }
  }

  private init(_ name: String, _ db: Database) throws {
    self.name = name
    var columns: [String] = []
    var key: String?
    for row in try Row.fetchAll(db, sql: "PRAGMA main.table_info(\(name))") {
      let column: String = row["name"]
      let type: String = row["type"]
      let place: Int = row["pk"]
      columns.append(column)
      if place == 1, type == "INTEGER" { key = column }
    }
    var parents: [String: String] = [:]
    for row in try Row.fetchAll(db, sql: "PRAGMA main.foreign_key_list(\(name))") {
      let column: String = row["from"]
      parents[column] = row["table"]
    }
    (self.columns, self.key, self.parents) = (columns, key, parents)
  }

  /// Returns the table whose row numbers a column holds: this one or one that it refers to.
  func numbering(_ column: String) -> String? { column == key ? name : parents[column] }

  /// The SQL expression for the conversation of a row; `nil` when rows belong to none.
  var conversation: String? {
    if name == "conversation" { return key }
    if let column = parents.first(where: { $0.value == "conversation" })?.key { return column }
    guard let column = parents.first(where: { $0.value == "turn" })?.key else { return nil }
    return "(SELECT conversation FROM turn WHERE turn.id = \(name).\(column))"
  }

  /// Returns the SQL condition for the rows that some conversations need.
  /// - Parameter conversations: Their numbers as an SQL list.
  func condition(of conversations: String) -> String {
    let own = "\(conversation ?? "NULL") IN (\(conversations))"
    guard name == "run" else { return own }
    // A copy shares the processes of its original.
    return "\(own) OR id IN (SELECT run FROM entry WHERE conversation IN (\(conversations)))"
  }
}
