extension TaskLocal {
  /// Binds the variable while an operation runs where the caller runs.
  ///
  /// `withValue` runs an asynchronous closure outside of the caller's actor if the closure does not
  /// name it.
  @discardableResult
  func bound<Result>(
    to value: Value,
    isolation: isolated (any Actor)? = #isolation,
    operation: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await withValue(value) {
      _ = isolation
      return try await operation()
    }
  }
}
