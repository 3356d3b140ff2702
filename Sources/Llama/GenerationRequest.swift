/// One request to a model.
package struct GenerationRequest: Sendable {
  /// Whether the model may call tools.
  package enum ToolMode: Sendable, Equatable {
    case allowed
    /// Tools are not shown, and no call can come.
    case disallowed
    /// No call can come, and the tools are shown still where that can be: what was computed with them
    /// stays of use.
    case withheld
    /// The answer is at least one call; the model does not think before it.
    case required
  }

  /// A JSON array of messages, as in OpenAI's chat completions.
  package var messages: String
  /// A JSON array of tools, as in OpenAI's chat completions.
  package var tools: String?
  package var toolMode = ToolMode.allowed
  /// Ends the answer after one call where it is false.
  package var allowsParallelCalls = true
  package var sampling = SamplingOptions()
  /// Bounds the answer; without it only the context does.
  package var maximumTokens: Int?
  /// How long the model thinks; not at all where it is `nil`, if the template leaves it the choice.
  package var thinking: Thinking?
  /// A JSON schema that the answer's text must meet.
  package var schema: String?
  /// Bytes of text after which no call is expected any more, and the answer ends; `nil` where the text
  /// is wanted too.
  var maximumTextBeforeCalls: Int?
  /// The tools and the schema for the grammar, where that needs others.
  package var grammarSchemas: GrammarSchemas?
  /// The images that stand in the messages as marks.
  package var images: PromptImages?
  /// What the messages and tools are made of, for the report of a cache that broke.
  package var outline = Outline()

  package init(messages: String) {
    self.messages = messages
  }

  var hasTools: Bool { tools?.contains("{") ?? false }

  /// What is rendered, with or without the tools.
  func rendering(showingTools: Bool) -> RenderingRequest {
    var rendering = RenderingRequest(messages: messages)
    rendering.tools = showingTools ? tools : nil
    rendering.allowsParallelCalls = allowsParallelCalls
    rendering.schema = schema
    rendering.grammarSchemas = grammarSchemas
    return rendering
  }
}
