package import Wire

/// Who decides which process may compute.
///
/// Supervision carries the questions and the answers, and says when a process is gone.
package protocol CoreArbiter: Sendable {
  /// A process wants to compute; `tell` gives it the answer, and may be called at once.
  func ask(
    _ run: RunID,
    request: Int,
    isAhead: Bool,
    tell: @escaping @Sendable (ToWorker) -> Void
  )

  /// A process computes on no more cores than the grant of this number says.
  func adopt(_ run: RunID, grant number: Int)

  /// A process has computed, or does not want to any more, or is gone.
  func giveBack(_ run: RunID)

  /// Somebody waits for what a process computes ahead of its need.
  func raise(_ run: RunID)

  /// Whether nobody computes, and nobody waits.
  var isIdle: Bool { get }

  /// The number of cores that may be used is such.
  func resize(to count: Int)
}
