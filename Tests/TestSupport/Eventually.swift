/// Polls until a condition holds.
///
/// For conditions that nothing reports. It ends with the test's time limit, which a plain loop
/// would not, and sooner by itself.
///
/// - Parameters:
///   - what: What is waited for, as reported when it never comes.
///   - patience: Longer than anything waited for here takes.
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
    // With a pause, because what is waited for needs the core too.
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// A condition that was waited for never held.
package struct NeverSo: Error, CustomStringConvertible {
  let what: String
  let patience: Duration

  package var description: String {
    "It was waited for \(patience.components.seconds) s, and never came to be so: \(what)."
  }
}
