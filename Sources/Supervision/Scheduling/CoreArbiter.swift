package import Wire

/// Decides which processes may compute.
///
/// Supervision carries the questions and answers, and reports when a process is gone.
package protocol CoreArbiter: Sendable {
  /// Asks for cores on behalf of a process.
  ///
  /// - Parameters:
  ///   - request: The process's own number for this request.
  ///   - isAhead: Whether the result is not needed yet, so that it comes last and gives way.
  ///   - tell: Receives the answer; may be called before this returns, so that the caller must hold no
  ///     lock that it takes.
  func ask(
    _ run: RunID,
    request: Int,
    isAhead: Bool,
    tell: @escaping @Sendable (ToWorker) -> Void
  )

  /// Records that a process now computes on no more cores than this grant allows.
  func adopt(_ run: RunID, grant number: Int)

  /// Releases a process's cores or its request, because it has finished, changed its mind or ended.
  func giveBack(_ run: RunID)

  /// Records that a turn now waits for what a process was computing ahead of need.
  func raise(_ run: RunID)

  /// Whether no process computes or waits.
  var isIdle: Bool { get }

  /// Sets the number of cores that may be used.
  func resize(to count: Int)
}
