/// Waits for another party, but not forever.
enum Patience {
  /// The seconds for what is answered at once.
  static let short = 3
  /// The seconds for what writes to disk or asks many processes, and between pieces of a stream.
  ///
  /// A stream shows every second that it is alive.
  static let long = 30

  /// Waits for a result.
  /// - Throws: `ControlError.silent` after the given seconds, or the error of `body`.
  static func wait<Value: Sendable>(
    _ seconds: Int,
    for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        // One second at a time: a process that was stopped in the meantime finds that only one has
        // passed, and has the others to read what came.
        for _ in 0..<seconds { try await Task.sleep(for: .seconds(1), clock: .suspending) }
        return nil
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw ControlError.silent }
      return value
    }
  }
}
