/// Asks again and again until something is so.
///
/// For what nobody tells of. It ends with the time of the test, which a loop without it would not, and
/// sooner by itself.
/// - Parameters:
///   - what: What is waited for, in the words of a test that waits in vain.
///   - patience: Longer than anything takes that is waited for here.
/// - Throws: `NeverSo` when the patience is over, and `CancellationError` when the test is.
package func eventually(
  _ what: String,
  within patience: Duration = .seconds(60),
  _ isSo: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + patience
  while try await !isSo() {
    try Task.checkCancellation()
    if ContinuousClock.now > deadline { throw NeverSo(what: what, patience: patience) }
    // Not at once: what is waited for wants the core, too.
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Something was waited for that never came to be.
package struct NeverSo: Error, CustomStringConvertible {
  let what: String
  let patience: Duration

  package var description: String {
    "It was waited for \(patience.components.seconds) s, and never came to be so: \(what)."
  }
}
