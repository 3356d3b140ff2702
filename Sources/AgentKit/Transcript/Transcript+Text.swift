extension Transcript.Entry {
  /// The entry as text, for counting and for display.
  package var text: String {
    switch self {
    case .instructions(let entry): entry.segments.joinedText
    case .prompt(let entry): entry.segments.joinedText
    case .toolCalls(let entry):
      entry.map { "\($0.toolName)\($0.arguments.jsonString)" }.joined(separator: "\n")
    case .toolOutput(let entry): entry.segments.joinedText
    case .response(let entry): entry.segments.joinedText
    case .reasoning(let entry): entry.segments.joinedText
    }
  }
}

extension Transcript.Entry: CustomStringConvertible {
  /// The entry as text.
  public var description: String { text }
}
