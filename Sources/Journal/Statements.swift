import GRDB

extension Database {
  /// Executes a statement that will be executed again: it is compiled once for each connection.
  func perform(sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
