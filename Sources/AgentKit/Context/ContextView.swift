/// What a model sees of a history that is too long for it.
///
/// A view consists of whole exchanges starting at a prompt, with a note in that prompt about what
/// precedes it, and possibly with outputs cut short.
struct ContextView: Sendable, Equatable {
  /// The identity of the first visible prompt.
  let firstPrompt: String
  /// The note about earlier exchanges, or `nil` if there are none.
  var note: String?
  /// The tool outputs that are cut short.
  var cutOutputs: [CutOutput] = []

  /// A tool output of which the model sees only a part.
  struct CutOutput: Sendable, Equatable {
    /// The whole output.
    ///
    /// The identity of its call does not suffice to find it: models write it themselves, and may
    /// write the same one in every round.
    let whole: Transcript.ToolOutput
    /// The text that the model sees instead.
    let text: String
  }

  /// Whether anything is left out or cut.
  var isPartial: Bool { note != nil || !cutOutputs.isEmpty }

  /// Returns the visible part of a history, or `nil` if the first prompt is not in it.
  func applied(to history: ArraySlice<Transcript.Entry>) -> [Transcript.Entry]? {
    let first = history.lastIndex { entry in
      if case .prompt(let prompt) = entry { prompt.id == firstPrompt } else { false }
    }
    guard let first else { return nil }
    var cuts = cutOutputs
    return history[first...].map { entry in
      switch entry {
      case .prompt(var prompt) where prompt.id == firstPrompt:
        // The note is part of the prompt rather than a prompt before it: many templates require
        // prompts and answers to alternate.
        if let note {
          prompt.segments.insert(.text(.init(id: "earlier", content: note)), at: 0)
        }
        return .prompt(prompt)
      case .toolOutput(var output):
        // Each cut is for one output, however many are equal.
        if let index = cuts.firstIndex(where: { $0.whole == output }) {
          output.segments = [.text(.init(id: "cut", content: cuts.remove(at: index).text))]
        }
        return .toolOutput(output)
      default: return entry
      }
    }
  }
}
