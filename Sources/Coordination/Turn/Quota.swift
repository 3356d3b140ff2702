import Transcripts

/// How much a turn's workers may have journaled, and how often they may ask for slow operations.
///
/// A pure value. The caps cannot bound a worker that lies, because it can send entries that no
/// request and no call produced. The quota is derived from the caps and lies far above what honest
/// workers can reach within them.
struct Quota: Sendable, Equatable {
  /// The entries allowed whatever the caps: agents' changes to shared state, and more.
  private static let leastEntries = 256
  /// The entries of a round: reasoning, text and calls, each perhaps in several entries.
  private static let entriesOfRound = 16
  /// The entries of a call: its output, perhaps also an early copy, and changes to shared state.
  private static let entriesOfCall = 4
  /// The least tokens per entry: a call beyond the cap has an output too, but takes more tokens.
  private static let tokensOfEntry = 2
  /// The bytes allowed whatever the caps: the longest message, such as one output or an image.
  private static let leastBytes = 16 << 20
  /// The bytes of a round or call, more than most windows have room for.
  private static let bytesOfRound = 1 << 20
  private static let bytesOfToken = 64

  private let maximumEntries: Int
  private let maximumBytes: Int
  private var entries = 0
  private var bytes = 0

  /// Derives the quota of a turn with this much left of its caps.
  init(_ budget: Budget) {
    let rounds = max(0, budget.rounds) + 1
    let (calls, tokens) = (max(0, budget.calls), max(0, budget.tokens))
    maximumEntries =
      Self.leastEntries + rounds * Self.entriesOfRound + calls * Self.entriesOfCall
      + tokens / Self.tokensOfEntry
    maximumBytes =
      Self.leastBytes + (rounds + calls) * Self.bytesOfRound
      + rounds * OpenRound.maximumEarlyBytes + tokens * Self.bytesOfToken
  }

  /// Counts entries before they are journaled.
  ///
  /// A question to a person, a question to a friend and a request for the baton count as one each.
  /// - Throws: `QuotaExceeded` when the quota is exceeded.
  mutating func count(entries count: Int) throws(QuotaExceeded) {
    guard count <= maximumEntries - entries else { throw .entries(limit: maximumEntries) }
    entries += count
  }

  /// Counts bytes as they are journaled, and those of questions as they are asked.
  /// - Throws: `QuotaExceeded` when the quota is exceeded.
  mutating func count(bytes count: Int) throws(QuotaExceeded) {
    bytes += count
    guard bytes <= maximumBytes else { throw .bytes(limit: maximumBytes) }
  }
}

/// The error for a worker that wants more journaled than its turn could honestly need.
enum QuotaExceeded: Error, Equatable {
  case entries(limit: Int)
  case bytes(limit: Int)
}

extension QuotaExceeded: CustomStringConvertible {
  var description: String {
    let amount =
      switch self {
      case .entries(let limit): limit.counted("entry", "entries")
      case .bytes(let limit): "\(limit >> 20) MiB"
      }
    return "more than \(amount) for the journal in one turn, beyond what its caps allow"
  }
}
