import Foundation
import Llama
import TestSupport
import Testing

/// The pocket model and what the tests say to it.
enum Fixture {
  /// The environment variable that names another model file than the one in the package.
  static let variable = "ORCHESTRATOR_TEST_MODEL"

  static var modelPath: String {
    ProcessInfo.processInfo.environment[variable] ?? Repository.pocketModel
  }

  static func model(chatTemplate: String? = nil) throws -> LlamaModel {
    var options = LlamaModel.Options()
    options.chatTemplate = chatTemplate
    return try LlamaModel(path: modelPath, options: options)
  }

  static func context(
    _ model: LlamaModel? = nil,
    size: Int = 1024,
    sequences: Int = 1
  ) throws -> LlamaContext {
    var options = LlamaContext.Options()
    options.contextSize = size
    options.sequenceCount = sequences
    return try LlamaContext(model: try model ?? Self.model(), options: options)
  }

  /// Returns exactly `count` tokens of a repeated text.
  static func tokens(_ count: Int, of model: LlamaModel) -> [Token] {
    let sentence = model.tokens(of: "Fold the upper layer to the left and crease it. ")
    return (0..<count).map { sentence[$0 % sentence.count] }
  }
}

/// A chat in the form that the pocket model was trained on.
struct Chat: Sendable, CustomTestStringConvertible {
  let system: String
  let tools: [Tool]
  let user: String

  var testDescription: String { user }

  var messages: String {
    #"[{"role":"system","content":\#(system.json)},{"role":"user","content":\#(user.json)}]"#
  }

  var request: GenerationRequest {
    var request = GenerationRequest(messages: messages)
    request.tools = "[\(tools.map(\.json).joined(separator: ","))]"
    request.sampling = .greedy
    request.maximumTokens = 100
    return request
  }

  /// The system message as the template renders it with the tools.
  var systemWithTools: String {
    """
    \(system)

    # Tools

    You may call one or more functions to assist with the user query.

    You are provided with function signatures within <tools></tools> XML tags:
    <tools>
    \(tools.map(\.rendered).joined(separator: "\n"))
    </tools>

    For each function call, return a json object with function name and arguments within \
    <tool_call></tool_call> XML tags:
    <tool_call>
    {"name": <function-name>, "arguments": <args-json-object>}
    </tool_call>
    """
  }

  /// The prompt that the pocket model was trained on for this chat.
  var prompt: String {
    """
    <|im_start|>system
    \(systemWithTools)<|im_end|>
    <|im_start|>user
    \(user)<|im_end|>
    <|im_start|>assistant

    """
  }
}

/// A tool with one string argument, which may be limited to several choices.
struct Tool: Sendable {
  let name: String
  let description: String
  let argument: String
  var choices: [String] = []

  /// The definition with the template's own spacing.
  var rendered: String {
    """
    {"type": "function", "function": {"name": "\(name)", "description": "\(description)", \
    "parameters": {"type": "object", "properties": {"\(argument)": {"type": "string"\(bounds)}}, \
    "required": ["\(argument)"]}}}
    """
  }

  private var bounds: String {
    choices.isEmpty ? "" : #", "enum": [\#(choices.map(\.json).joined(separator: ", "))]"#
  }

  var json: String { rendered }
}

extension String {
  var json: String {
    let escaped = replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
      .replacing("\n", with: #"\n"#)
    return "\"\(escaped)\""
  }
}
