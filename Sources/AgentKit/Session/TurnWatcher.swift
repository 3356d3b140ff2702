/// Follows a turn for whoever streams it.
struct TurnWatcher: Sendable {
  /// How far a turn has come.
  struct Progress: Sendable {
    /// The text of the answer so far; empty while the model thinks or tools run.
    let answer: String
    /// Whether the answer is at its end, and kept.
    let isWhole: Bool
    /// The entries that the turn has added, and those that are growing.
    let entries: ArraySlice<Transcript.Entry>
    /// What the turn has used so far.
    let usage: LanguageModelSession.Usage
  }

  let see: @Sendable (Progress) -> Void
}
