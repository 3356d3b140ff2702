import AgentKit

/// How much a turn's workers may have journaled, and how often they may ask for what takes a while.
///
/// A pure value. It follows from the caps: far above what honest workers can come to with the requests
/// and calls that those allow. The caps themselves do not bound one that lies: it can have entries
/// journaled that no request and no call has made.
struct Quota: Sendable, Equatable {
  /// Whatever the caps are: what agents write to what their session shares, and more.
  private static let leastEntries = 256
  /// Thoughts, words and calls, each perhaps in several entries.
  private static let entriesOfRound = 16
  /// A call's output, perhaps also before its turn, and what its tool writes to what the session shares.
  private static let entriesOfCall = 4
  /// A call beyond the cap has an output too; it is longer than this.
  private static let tokensOfEntry = 2
  /// The longest message: one output, or an image.
  private static let leastBytes = 16 << 20
  /// More than is left of it in most windows.
  private static let bytesOfRound = 1 << 20
  private static let bytesOfToken = 64

  private let maximumEntries: Int
  private let maximumBytes: Int
  private var entries = 0
  private var bytes = 0

  /// What a turn may have journaled that has so much left of its caps.
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

  /// Asks for entries, before they are journaled; a question to a person, a friend or for the baton
  /// counts as one.
  mutating func take(entries count: Int) throws(Excess) {
    guard count <= maximumEntries - entries else { throw .entries(limit: maximumEntries) }
    entries += count
  }

  /// Counts bytes, when they are journaled.
  mutating func take(bytes count: Int) throws(Excess) {
    bytes += count
    guard bytes <= maximumBytes else { throw .bytes(limit: maximumBytes) }
  }
}

/// A worker has wanted more journaled than its turn could honestly come to.
enum Excess: Error, Equatable {
  case entries(limit: Int)
  case bytes(limit: Int)
}

extension Excess: CustomStringConvertible {
  var description: String {
    let amount =
      switch self {
      case .entries(let limit): limit.counted("entry", "entries")
      case .bytes(let limit): "\(limit >> 20) MiB"
      }
    return "more than \(amount) for the journal in one turn, beyond what its caps allow"
  }
}
