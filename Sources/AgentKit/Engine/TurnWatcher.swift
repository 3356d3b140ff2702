/// An observer of a turn, for streaming it.
struct TurnWatcher: Sendable {
  struct Progress: Sendable {
    /// The text of the answer so far; empty while the model reasons or tools run.
    let answer: String
    /// Whether the answer is complete and recorded.
    let isWhole: Bool
    /// The entries that the turn has added, and those that are growing.
    let entries: ArraySlice<Transcript.Entry>
    let usage: LanguageModelSession.Usage
  }

  let see: @Sendable (Progress) -> Void
}
