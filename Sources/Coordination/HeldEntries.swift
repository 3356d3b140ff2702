import Journal
import Transcripts
import Wire

/// Entries of one worker that nobody waits for, held until they are written.
struct HeldEntries {
  /// The limits beyond which a worker is not heard until what it has said is written.
  private static let maximumCount = 16
  private static let maximumBytes = 64 * 1024

  private(set) var payloads: [EntryPayload] = []
  private var bytes = 0

  let since = ContinuousClock.now
  let agent: String
  let run: RunID

  init(agent: String, run: RunID) {
    (self.agent, self.run) = (agent, run)
  }

  /// The identities of the calls whose outputs are held.
  var answeredCalls: [String] {
    payloads.compactMap { if case .toolOutput(let output) = $0.entry { output.id } else { nil } }
  }

  /// Accepts an entry if there is room.
  /// - Returns: Whether there was.
  mutating func take(_ payload: EntryPayload) -> Bool {
    guard payloads.count < Self.maximumCount, bytes + payload.size <= Self.maximumBytes else {
      return false
    }
    payloads.append(payload)
    bytes += payload.size
    return true
  }
}
