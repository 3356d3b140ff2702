/// Lets this process compute only while a core is its own.
package protocol CoreSharing: Sendable {
  /// Waits for a core.
  ///
  /// Whoever has got one gives it back by `release`, and waits for nothing but its computation
  /// meanwhile.
  /// - Throws: `CancellationError` when the task is cancelled; then there is no core to give back.
  func acquire() async throws
  func release()
}
