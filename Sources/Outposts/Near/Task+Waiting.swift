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

extension Task where Success: Sendable, Failure == Never {
  /// The value if there is one in time, and none otherwise; this task goes on.
  ///
  /// - Throws: `CancellationError`.
  func value<Wrapped>(within patience: Duration) async throws -> Wrapped?
  where Success == Wrapped? {
    let (results, continuation) = AsyncStream<Success>.makeStream()
    // Unstructured: it ends with this task, which may outlast the one that waits.
    _ = Task<Void, Never> {
      continuation.yield(await value)
      continuation.finish()
    }
    let bound = Task<Void, any Error> {
      try await Task<Never, Never>.sleep(for: patience)
      continuation.finish()
    }
    defer { bound.cancel() }
    for await value in results { return value }
    try Task<Never, Never>.checkCancellation()
    return nil
  }
}
