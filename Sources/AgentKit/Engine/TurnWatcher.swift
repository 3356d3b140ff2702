/// An observer of a turn, for streaming it.
struct TurnWatcher: Sendable {
  /// The progress of a turn.
  struct Progress: Sendable {
    /// The text of the answer so far; empty while the model reasons or tools run.
    let answer: String
    /// Whether the answer is complete and recorded.
    let isWhole: Bool
    /// The entries that the turn has added, and those that are growing.
    let entries: ArraySlice<Transcript.Entry>
    /// The usage of the turn so far.
    let usage: LanguageModelSession.Usage
  }

  let see: @Sendable (Progress) -> Void
}
