/// What a model sees of a history that is too long for it.
///
/// A view consists of whole exchanges starting at a prompt, with a note in that prompt about what
/// precedes it, and possibly with outputs cut short.
struct ContextView: Sendable, Equatable {
  /// The identity of the first visible prompt.
  let firstPrompt: String
  /// The note about earlier exchanges, or `nil` if there are none.
  var note: String?
  /// Shortened tool outputs, by the identity of their calls.
  var cutOutputs: [String: String] = [:]

  /// Whether anything is left out or cut.
  var isPartial: Bool { note != nil || !cutOutputs.isEmpty }

  /// Returns the visible part of a history, or `nil` if the first prompt is not in it.
  func applied(to history: ArraySlice<Transcript.Entry>) -> [Transcript.Entry]? {
    let first = history.lastIndex { entry in
      if case .prompt(let prompt) = entry { prompt.id == firstPrompt } else { false }
    }
    guard let first else { return nil }
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
        if let text = cutOutputs[output.id] {
          output.segments = [.text(.init(id: "cut", content: text))]
        }
        return .toolOutput(output)
      default: return entry
      }
    }
  }
}
