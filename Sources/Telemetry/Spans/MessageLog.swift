import Transcripts

/// The messages of a turn, in the JSON of the GenAI conventions and bounded.
struct MessageLog: Sendable {
  private let settings: SpanSettings
  private var messages: [String] = []
  private var bytes = 0
  /// The parts of the message that a model is generating.
  private var parts: [GeneratedContent] = []

  init(_ settings: SpanSettings) { self.settings = settings }

  /// The most recent messages, as many as fit.
  var json: String? {
    settings.includesContents ? "[\(messages.joined(separator: ", "))]" : nil
  }

  mutating func add(prompt: Transcript.Prompt) {
    add(role: "user", [text(prompt.segments)])
  }

  mutating func add(output: Transcript.ToolOutput) {
    guard settings.includesContents else { return }
    add(
      role: "tool",
      [
        GeneratedContent(properties: [
          "type": "tool_call_response", "id": output.id.bounded(toBytes: 256),
          "response": bounded(output.segments),
        ])
      ]
    )
  }

  mutating func add(response: Transcript.Response) { addPart(text(response.segments)) }

  mutating func add(reasoning: Transcript.Reasoning) {
    addPart(text(reasoning.segments, type: "reasoning"))
  }

  mutating func add(calls: Transcript.ToolCalls) {
    guard settings.includesContents else { return }
    for call in calls {
      addPart(
        GeneratedContent(properties: [
          "type": "tool_call", "id": call.id.bounded(toBytes: 256),
          "name": call.toolName.bounded(toBytes: 256),
          "arguments": call.arguments.jsonString.bounded(toBytes: settings.valueBytes / 4),
        ])
      )
    }
  }

  /// Ends the message that a model generated.
  /// - Returns: The message as JSON; `nil` if contents are not wanted.
  mutating func finish(_ reason: String) -> String? {
    defer { parts = [] }
    guard settings.includesContents else { return nil }
    let message = GeneratedContent(properties: [
      "role": "assistant", "parts": GeneratedContent(elements: parts), "finish_reason": reason,
    ]).jsonString
    append(message)
    return "[\(message)]"
  }

  private func bounded(_ segments: [Transcript.Segment]) -> String {
    segments.joinedText.bounded(toBytes: settings.valueBytes / 4)
  }

  private func text(
    _ segments: [Transcript.Segment],
    type: String = "text"
  ) -> GeneratedContent {
    guard settings.includesContents else { return GeneratedContent(properties: [:]) }
    return GeneratedContent(properties: ["type": type, "content": bounded(segments)])
  }

  private mutating func addPart(_ part: GeneratedContent) {
    // A round of a hundred calls shows its first.
    guard settings.includesContents, parts.count < 16 else { return }
    parts.append(part)
  }

  private mutating func add(role: String, _ parts: [GeneratedContent]) {
    guard settings.includesContents else { return }
    append(
      GeneratedContent(properties: [
        "role": role, "parts": GeneratedContent(elements: parts),
      ]).jsonString
    )
  }

  private mutating func append(_ message: String) {
    messages.append(message)
    bytes += message.utf8.count
    while bytes > settings.valueBytes, messages.count > 1 {
      bytes -= messages.removeFirst().utf8.count
    }
  }
}
