/// Waits for what somebody else does, but not for ever.
enum Patience {
  /// For what is answered at once.
  static let short = 3
  /// For what is written to disk first or asks many processes, and for the next piece of a stream that
  /// shows every second that it is there.
  static let long = 30

  /// - Throws: `ControlError.silent` after so many seconds, or what `body` throws.
  static func wait<Value: Sendable>(
    _ seconds: Int,
    for body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        // One after the other: a process that was stopped meanwhile finds that one has passed, and has
        // the time of the others to read what came.
        for _ in 0..<seconds { try await Task.sleep(for: .seconds(1), clock: .suspending) }
        return nil
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw ControlError.silent }
      return value
    }
  }
}
