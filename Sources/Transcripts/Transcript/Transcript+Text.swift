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
  /// The prompt as the model reads it, with the schema of the answer unless the prompt hides it.
  ///
  /// It depends only on the entry, so a prompt reads the same each time the history is read.
  package var segmentsWithSchema: [Transcript.Segment] {
    guard contextOptions.includeSchemaInPrompt ?? true, let schema else { return segments }
    let lead = segments.isEmpty ? "\n\n" : "\n"
    let text = lead + "Answer with JSON that follows this schema: \(schema.jsonSchema.jsonString)"
    return segments + [.text(.init(id: "schema", content: text))]
  }
}

extension Transcript.Instructions: CustomStringConvertible {
  /// The instructions as text.
  public var description: String { segments.joinedText }
}

extension Transcript.Prompt: CustomStringConvertible {
  /// The prompt as text.
  public var description: String { segments.joinedText }
}

extension Transcript.ToolCalls: CustomStringConvertible {
  /// The calls, one per line.
  public var description: String { map(\.description).joined(separator: "\n") }
}

extension Transcript.ToolCall: CustomStringConvertible {
  /// The name of the tool and its arguments in JSON.
  public var description: String { toolName + arguments.jsonString }
}

extension Transcript.ToolOutput: CustomStringConvertible {
  /// The output as text.
  public var description: String { segments.joinedText }
}

extension Transcript.Response: CustomStringConvertible {
  /// The answer as text.
  public var description: String { segments.joinedText }
}

extension Transcript.Reasoning: CustomStringConvertible {
  /// The reasoning as text.
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
  /// The content as JSON.
  public var description: String { content.jsonString }
}

extension Transcript.Segment: CustomStringConvertible {
  /// The segment as text.
  public var description: String { text }
}
