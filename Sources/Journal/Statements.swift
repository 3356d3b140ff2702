import GRDB

extension Database {
  /// Executes a statement that recurs: it is compiled once per connection.
  func perform(sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
