import Transcripts

/// How a turn ends.
struct TurnEnd: Sendable {
  var exit: TurnExit
  /// Whether its entries are taken back.
  var reverts: Bool
  /// Whether its workers may not know which of their last entries were kept.
  var forgets: Bool
  /// Whether the next coordinator finishes it.
  var isLeftOpen = false
  /// Why its end is not on disk.
  var problem: String?
}
