import Foundation
import Journal
import Transcripts

/// A call of an interrupted turn that may still be running on another machine, which may not have
/// heard that its coordinator ended.
struct DistantCall: Sendable {
  let host: String
  /// When its coordinator had ended at the latest.
  let since: Date

  /// Returns how long it may still run; `nil` where it has ended.
  ///
  /// The turn waits for that, because it may do again what the call does.
  /// - Parameter lease: How long a worker on another machine may outlive its coordinator.
  func timeLeft(of lease: Duration) -> Duration? {
    // The clock may have been set since.
    let left = lease - .seconds(max(0, Date().timeIntervalSince(since)))
    return left > .zero ? left : nil
  }

  /// What those who watch are shown of the wait.
  func delayed(by delay: Duration) -> TurnEvent {
    .trouble(
      "A call of the turn may still be running on '\(host)', which may not have heard that its"
        + " coordinator ended: the turn goes on in \(delay.components.seconds + 1) s."
    )
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
