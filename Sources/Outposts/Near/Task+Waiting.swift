extension Task where Success: Sendable, Failure == any Error {
  /// The value, which is waited for only until the waiting task is cancelled; this one goes on.
  ///
  /// - Throws: What this task throws, or `CancellationError`.
  func valueUnlessCancelled() async throws -> Success {
    let (results, continuation) = AsyncThrowingStream<Success, any Error>.makeStream()
    // Unstructured: it ends with this task, which may outlast the one that waits.
    _ = Task<Void, Never> {
      continuation.yield(with: await result)
      continuation.finish()
    }
    for try await value in results { return value }
    throw Swift.CancellationError()
  }
}
