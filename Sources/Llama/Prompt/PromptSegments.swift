import AgentKit
package import PlatformLibraries

/// The parts that a prompt is rendered from, so that the difference between two prompts can be put
/// into words.
package struct PromptSegments: Sendable, Equatable {
  package struct Part: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case tools, instructions, prompt, reasoning, response
      case toolCalls = "tool calls"
      case toolOutput = "tool output"

      init(_ entry: Transcript.Entry) {
        self =
          switch entry {
          case .instructions: .instructions
          case .prompt: .prompt
          case .toolCalls: .toolCalls
          case .toolOutput: .toolOutput
          case .response: .response
          case .reasoning: .reasoning
          }
      }
    }

    package let kind: Kind
    package let text: String
    package let images: [Data]

    package init(_ kind: Kind, _ text: String, images: [Data] = []) {
      self.kind = kind
      self.text = text
      self.images = images
    }
  }

  package var parts: [Part]

  package init(_ parts: [Part] = []) {
    self.parts = parts
  }

  /// The parts before any history.
  var head: ArraySlice<Part> {
    parts.prefix { $0.kind == .tools || $0.kind == .instructions }
  }

  /// Describes why a prompt cannot continue from what was rendered from `earlier`.
  func difference(from earlier: PromptSegments) -> String {
    guard !parts.isEmpty, !earlier.parts.isEmpty else { return "another prompt" }
    let shared = zip(parts, earlier.parts).prefix { $0 == $1 }.count
    guard shared < parts.count, shared < earlier.parts.count else {
      return shared < earlier.parts.count
        ? "\(earlier.parts.count - shared) entries at the end are gone"
        : "the chat template writes an earlier entry differently"
    }
    let (part, former) = (parts[shared], earlier.parts[shared])
    if shared < max(head.count, earlier.head.count) {
      return "the \(former.kind.rawValue) changed"
    }
    let place = "entry \(shared - head.count + 1) of the history (\(part.kind.rawValue))"
    if let later = earlier.parts[shared...].firstIndex(of: part) {
      return "\(later - shared) entries before \(place) were left out"
    }
    return "\(place) changed"
  }
}
