/// What a model sees of a history that is too long for it: whole exchanges from a prompt on, with a
/// note in that prompt about what came before, and perhaps with outputs that are cut.
struct ContextView: Sendable, Equatable {
  /// The identity of the first prompt that is seen.
  let firstPrompt: String
  /// What is said of the exchanges before it; `nil` when there are none.
  var note: String?
  /// Outputs of tools in a shorter form, by the identity of their calls.
  var cutOutputs: [String: String] = [:]

  /// Whether anything is left out or cut.
  var isPartial: Bool { note != nil || !cutOutputs.isEmpty }

  /// The part of a history that is seen; `nil` when the first prompt is not in it.
  func applied(to history: ArraySlice<Transcript.Entry>) -> [Transcript.Entry]? {
    let first = history.lastIndex { entry in
      if case .prompt(let prompt) = entry { prompt.id == firstPrompt } else { false }
    }
    guard let first else { return nil }
    return history[first...].map { entry in
      switch entry {
      case .prompt(var prompt) where prompt.id == firstPrompt:
        // A part of the prompt and not a prompt before it: many templates want prompts and answers
        // to take turns.
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
