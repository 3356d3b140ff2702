extension Transcript.Entry {
  /// The entry as text, for counting and for display.
  package var text: String {
    switch self {
    case .instructions(let entry): entry.description
    case .prompt(let entry): entry.description
    case .toolCalls(let entry): entry.description
    case .toolOutput(let entry): entry.description
    case .response(let entry): entry.description
    case .reasoning(let entry): entry.description
    }
  }
}

extension Transcript.Entry: CustomStringConvertible {
  /// The entry as text.
  public var description: String { text }
}

extension Transcript.Prompt {
  /// What a model reads of the prompt: its text, and the schema of the answer where the prompt asks for
  /// it to be shown.
  ///
  /// It depends on the entry alone, so that a prompt reads the same each time the history is read.
  package var segmentsWithSchema: [Transcript.Segment] {
    guard contextOptions.includeSchemaInPrompt == true, let schema else { return segments }
    let lead = segments.isEmpty ? "\n\n" : "\n"
    let text = lead + "Answer with JSON that follows this schema: \(schema.jsonSchema.jsonString)"
    return segments + [.text(.init(id: "schema", content: text))]
  }
}

extension Transcript.Instructions: CustomStringConvertible {
  /// What the agent was told, as text.
  public var description: String { segments.joinedText }
}

extension Transcript.Prompt: CustomStringConvertible {
  /// What was said, as text.
  public var description: String { segments.joinedText }
}

extension Transcript.ToolCalls: CustomStringConvertible {
  /// The calls, one on a line.
  public var description: String { map(\.description).joined(separator: "\n") }
}

extension Transcript.ToolCall: CustomStringConvertible {
  /// The name of the tool and its arguments in JSON.
  public var description: String { toolName + arguments.jsonString }
}

extension Transcript.ToolOutput: CustomStringConvertible {
  /// What the tool returned, as text.
  public var description: String { segments.joinedText }
}

extension Transcript.Response: CustomStringConvertible {
  /// What the model answered, as text.
  public var description: String { segments.joinedText }
}

extension Transcript.Reasoning: CustomStringConvertible {
  /// What the model thought, as text.
  public var description: String { segments.joinedText }
}

extension Transcript.ResponseFormat: CustomStringConvertible {
  /// The name of the schema.
  public var description: String { name }
}

extension Transcript.TextSegment: CustomStringConvertible {
  /// The text.
  public var description: String { content }
}

extension Transcript.StructuredSegment: CustomStringConvertible {
  /// The content in JSON.
  public var description: String { content.jsonString }
}

extension Transcript.Segment: CustomStringConvertible {
  /// The segment as text.
  public var description: String { text }
}
