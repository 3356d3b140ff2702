import Transcripts

/// The end of a turn that is not in the journal yet.
///
/// It is written before the next prompt, or when the conversation closes.
struct UnwrittenEnd: Sendable {
  let turn: Int64
  let exit: TurnExit
  /// The agent that the baton went back to.
  let holder: String

  /// What a person needs to know before asking again.
  static let explanation =
    "The end of this turn could not be journaled. It will be tried again before the next prompt"
    + " here and when orchestrator stops; if that fails too, the next start continues the turn. Do"
    + " not ask it again elsewhere."
}
