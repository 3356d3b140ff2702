import CLlama

/// The chat templates of a model, which define how a conversation is rendered for it.
package final class ChatTemplates {
  /// The template as the model carries it.
  package let source: String

  /// Whether the template tells its model how hard to think.
  package let knowsEfforts: Bool

  private let pointer: OpaquePointer
  private var knownSyntax: ToolSyntax?
  /// The features that were tested, and whether the template supports them.
  var knownFeatures: [FeatureKey: Bool] = [:]
  /// Whether the last answer without tools was one in which calls are read as text.
  private var knownReading: (beginning: AnswerBeginning, readsCallsAsText: Bool)?

  init(model: OpaquePointer, source: String?) throws(LlamaError) {
    pointer = try calling({ .templateRefused(reason: $0) }) { error in
      cllama_templates_create(model, source, error)
    }
    self.source = String(cString: cllama_templates_source(pointer))
    knowsEfforts = cllama_templates_know_effort(pointer)
  }

  deinit {
    cllama_templates_free(pointer)
  }

  /// Renders a conversation in the form the model was trained on; equal requests give equal bytes
  /// at any time and in any process.
  ///
  /// Only the model's own messages can spell a control token: in any other message a zero-width
  /// space breaks it up.
  ///
  /// What the template does not support is written in another way: tools, calls and outputs as text,
  /// messages in a row from one side as one message; see ``ChatFeature``.
  package func render(_ request: RenderingRequest) throws(LlamaError) -> ChatRendering {
    let request = try adapted(request)
    let rendering = try create(request)
    let other = try request.forGrammar.map { request throws(LlamaError) in
      try ChatRendering(create(request)).grammar
    }
    let grammar = other ?? String(cString: cllama_rendering_grammar(rendering))
    cllama_rendering_set_grammar(rendering, NumberGrammar.exact(grammar))
    return ChatRendering(rendering)
  }

  func create(_ request: RenderingRequest) throws(LlamaError) -> OpaquePointer {
    try calling({ .renderingFailed(reason: $0) }) { error in
      cllama_rendering_create(pointer, request.json, error)
    }
  }

  /// Returns how the template carries tools.
  ///
  /// This is found by rendering a probe, because what templates say of themselves misleads: some
  /// ignore tools without an error, some show them but give calls no grammar, and some the other
  /// way round.
  package func toolSyntax() throws(LlamaError) -> ToolSyntax {
    if let knownSyntax { return knownSyntax }
    var request = RenderingRequest(ChatHistory([.prompt("x")]))
    request.tools = Self.exampleTool
    var rendering = try ChatRendering(create(request))
    let isShown = rendering.prompt.contains(Self.exampleName)
    let openers = rendering.triggers.compactMap(\.literal)
    if rendering.grammar.isEmpty {
      request.toolChoice = .required
      rendering = try ChatRendering(create(request))
    }
    let carriesTools = isShown && !rendering.grammar.isEmpty
    let syntax = ToolSyntax(
      carriesTools: carriesTools,
      openers: openers + (carriesTools ? [] : [TextCalls.callMarks.begin])
    )
    knownSyntax = syntax
    return syntax
  }

  static let exampleName = "probe_tool"
  static let exampleTool = """
    [{"type":"function","function":{"name":"\(exampleName)","description":"x","parameters":\
    {"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}}]
    """

  /// Returns whether calls are read as text in answers without tools that begin in the given way.
  ///
  /// - Parameter test: Finds it out, which parses an answer for each opener of calls.
  func readsCallsAsText(after beginning: AnswerBeginning, _ test: () -> Bool) -> Bool {
    if let knownReading, knownReading.beginning == beginning {
      return knownReading.readsCallsAsText
    }
    let reads = test()
    knownReading = (beginning, reads)
    return reads
  }
}

/// What decides how an answer without tools and schema is parsed, apart from the template.
struct AnswerBeginning: Equatable {
  /// The end of the prompt that belongs to the answer.
  let text: String
  let thinking: ReasoningBudget?
  let skipsThinking: Bool
}

extension ChatTemplates {
  /// Returns whether the template lets its model think, or makes it.
  package func supportsThinking() throws(LlamaError) -> Bool {
    var request = RenderingRequest(messages: #"[{"role":"user","content":"x"}]"#)
    request.isThinking = true
    return try render(request).supportsThinking
  }
}

/// How a model is shown tools and calls them.
package struct ToolSyntax: Sendable, Equatable {
  /// Whether the chat template shows tools to the model and has a grammar for its calls; otherwise
  /// the instructions describe them, and calls are text.
  package let carriesTools: Bool
  /// The texts that begin a call, where calls begin with a fixed text.
  package let openers: [String]

  package init(carriesTools: Bool, openers: [String]) {
    self.carriesTools = carriesTools
    self.openers = openers
  }
}
