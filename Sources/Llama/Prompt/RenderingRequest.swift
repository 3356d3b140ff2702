import AgentKit

/// A conversation to render for a model, in the JSON of OpenAI's chat completions.
package struct RenderingRequest: Sendable {
  /// How the template and the grammar treat the tools.
  package enum ToolChoice: String, Sendable {
    case auto, required
  }

  package var history: ChatHistory
  /// A JSON array of tools.
  package var tools: String?
  package var toolChoice = ToolChoice.auto
  package var allowsParallelCalls = true
  package var isThinking = false
  /// How hard the model is to think, in a word that the template knows.
  package var effort: String?
  /// A JSON schema that the answer's text must meet.
  package var schema: String?
  /// The tools and schema for the grammar, where it needs different ones.
  package var grammarSchemas: GrammarSchemas?
  /// Whether the prompt ends where the model's answer begins.
  package var addsGenerationPrompt = true
  /// Whether the messages describe the tools, so that the template is given none and calls are read
  /// from the text.
  var describesTools = false
  /// Texts in the messages that are not broken up even where they spell a control token.
  var marks: [String] = []
  /// Whether nothing but the prompt is wanted.
  var isProbe = false

  package init(_ history: ChatHistory) {
    self.history = history
  }

  /// - Parameter messages: A JSON array of messages.
  package init(messages: String) {
    self.init(ChatHistory(json: messages))
  }

  var hasTools: Bool { tools?.contains("{") ?? false }

  /// The request whose grammar constrains the model, where that is a different one.
  var forGrammar: RenderingRequest? {
    guard let grammarSchemas else { return nil }
    var request = self
    request.grammarSchemas = nil
    if tools != nil { request.tools = grammarSchemas.tools ?? tools }
    if schema != nil { request.schema = grammarSchemas.schema ?? schema }
    return request
  }

  /// The request as JSON; the parts are inserted unchanged, because their bytes determine the
  /// prompt's.
  var json: String {
    var fields = [
      #""messages":\#(history.json)"#,
      #""tool_choice":"\#(toolChoice.rawValue)""#,
      #""parallel_tool_calls":\#(allowsParallelCalls)"#,
      #""enable_thinking":\#(isThinking)"#,
      #""add_generation_prompt":\#(addsGenerationPrompt)"#,
    ]
    if let tools { fields.append(#""tools":\#(tools)"#) }
    if let effort { fields.append(#""reasoning_effort":\#(GeneratedContent(effort).jsonString)"#) }
    if let schema { fields.append(#""json_schema":\#(schema)"#) }
    if describesTools {
      let (begin, end) = TextCalls.callMarks
      fields.append(#""text_calls":{"begin":"\#(begin)","end":"\#(end)"}"#)
    }
    if !marks.isEmpty {
      fields.append(#""marks":[\#(marks.map { "\"\($0)\"" }.joined(separator: ","))]"#)
    }
    if isProbe { fields.append(#""probe":true"#) }
    return "{\(fields.joined(separator: ","))}"
  }
}

/// Tools and a schema for a grammar alone; `nil` for those that match what the model reads.
package struct GrammarSchemas: Sendable {
  package var tools: String?
  package var schema: String?
}
