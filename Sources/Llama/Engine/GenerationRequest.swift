package struct GenerationRequest: Sendable {
  /// Whether the model may call tools.
  package enum ToolMode: Sendable, Equatable {
    case allowed
    /// There are no tools, and the model reads no calls: text that spells a call is text.
    case noTools
    /// Tools are not shown, and calls cannot occur.
    case disallowed
    /// Calls cannot occur, but tools are still shown where possible, so that what was computed with
    /// them stays usable.
    case withheld
    /// The answer is at least one call; the model does not think before it.
    case required
  }

  package var history: ChatHistory
  /// A JSON array of tools, as in OpenAI's chat completions.
  package var tools: String?
  /// Whether tools are refused, rather than described in the instructions, where the model's chat
  /// template supports none.
  package var nativeToolsOnly = false
  package var toolMode = ToolMode.allowed
  /// Whether an answer may contain several calls; otherwise it ends after one.
  package var allowsParallelCalls = true
  package var sampling = SamplingOptions()
  package var bounds = AnswerBounds()
  /// How long the model thinks; `nil` for not at all, if the template leaves it the choice.
  package var thinking: ReasoningBudget?
  /// Whether the model answers without thinking, although it reads what it reads when it thinks.
  package var skipsThinking = false
  /// A JSON schema that the answer's text must meet.
  package var schema: String?
  /// The tools and schema for the grammar, where it needs different ones.
  package var grammarSchemas: GrammarSchemas?
  /// The images that marks in the messages stand for.
  package var images: PromptImages?
  /// The parts of the messages and tools, for reporting a cache break.
  package var segments = PromptSegments()

  /// What ends an answer, other than its model and the context.
  package struct AnswerBounds: Sendable {
    package var tokens: Int?
    /// Texts before which the answer's text ends.
    package var stops: [String] = []
    /// The number of bytes of text after which no call is expected any more and the answer ends;
    /// `nil` where the text is wanted too.
    var textBeforeCalls: Int?
  }

  package var maximumTokens: Int? {
    get { bounds.tokens }
    set { bounds.tokens = newValue }
  }

  package init(_ history: ChatHistory) {
    self.history = history
  }

  /// - Parameter messages: A JSON array of messages, as in OpenAI's chat completions.
  package init(messages: String) {
    self.init(ChatHistory(json: messages))
  }

  /// The history as JSON.
  package var messages: String {
    get { history.json }
    set { history = ChatHistory(json: newValue) }
  }

  var hasTools: Bool { tools?.contains("{") ?? false }

  func rendering(showingTools: Bool) -> RenderingRequest {
    var rendering = RenderingRequest(history)
    rendering.tools = showingTools ? tools : nil
    rendering.allowsParallelCalls = allowsParallelCalls
    rendering.schema = schema
    rendering.grammarSchemas = grammarSchemas
    return rendering
  }

  /// The request as it would begin another session, with its last prompt and what came of it;
  /// `nil` where nothing came before that.
  var withoutHistory: GenerationRequest? {
    let head = segments.head
    let history = segments.parts[head.endIndex...]
    let start = history.lastIndex { $0.kind == .prompt } ?? history.startIndex
    guard start > history.startIndex else { return nil }
    let kept = head.filter { $0.kind != .tools } + history[start...]
    var rest = self
    rest.messages = "[\(kept.map(\.text).joined(separator: ", "))]"
    rest.segments.parts.removeSubrange(history.startIndex..<start)
    // Their marks are counted instead: some of the images are gone.
    rest.images = nil
    return rest
  }
}
