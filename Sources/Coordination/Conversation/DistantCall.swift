import Foundation
import Journal
import Transcripts

/// A call of an interrupted turn that may still be running on another machine, which may not have
/// heard that its coordinator ended.
struct DistantCall: Sendable {
  let host: String
  /// When its coordinator had ended at the latest.
  let since: Date

  /// Waits until it has ended, because the turn may do again what it does.
  ///
  /// - Parameters:
  ///   - lease: How long a worker on another machine may outlive its coordinator.
  ///   - show: Is told of the wait.
  /// - Returns: The wait, which ends when it is cancelled; `nil` where the call has ended.
  func wait(_ lease: Duration, _ show: (TurnEvent) -> Void) -> Task<Void, Never>? {
    // The clock may have been set since.
    let elapsed = max(0, Date().timeIntervalSince(since))
    let left = lease - .seconds(elapsed)
    guard left > .zero else { return nil }
    show(
      .trouble(
        "A call of the turn may still be running on '\(host)', which may not have heard that its"
          + " coordinator ended: the turn goes on in \(left.components.seconds + 1) s."
      )
    )
    // Unstructured: the turn waits for it, and closing the conversation ends it.
    return Task { try? await Task.sleep(for: left, clock: .continuous) }
  }
}

extension JournalReader {
  /// Returns a call of a round that may still be running on another machine; `nil` if there is none.
  func distantCall(of round: OpenRound?, in conversation: Int64) async throws -> DistantCall? {
    guard let round, !round.running.isEmpty else { return nil }
    return try await runs(of: conversation).compactMap { run -> DistantCall? in
      guard run.agent == round.agent, run.cause == RunRecord.lost, let host = run.host,
        let ended = run.ended
      else { return nil }
      return DistantCall(host: host, since: ended)
    }
    .latest
  }
}

extension Sequence<DistantCall> {
  /// The one that may run longest.
  var latest: DistantCall? { self.max { $0.since < $1.since } }
}
