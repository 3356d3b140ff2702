import AgentKit
import Foundation
import Remote
import TestSupport

/// Events as servers send them.
enum Sent {
  static func text(_ text: String) -> String { #"{"choices":[{"delta":{"content":"\#(text)"}}]}"# }

  static func thought(_ text: String) -> String {
    #"{"choices":[{"delta":{"reasoning_content":"\#(text)"}}]}"#
  }

  static func refusal(_ text: String) -> String {
    #"{"choices":[{"delta":{"refusal":"\#(text)"}}]}"#
  }

  static func call(_ fields: String) -> String {
    #"{"choices":[{"delta":{"tool_calls":[\#(fields)]}}]}"#
  }

  static func end(_ reason: String = "stop") -> String {
    #"{"choices":[{"delta":{},"finish_reason":"\#(reason)"}]}"#
  }

  static let usage = """
    {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":7,\
    "prompt_tokens_details":{"cached_tokens":12},\
    "completion_tokens_details":{"reasoning_tokens":3}}}
    """
  static let done = "[DONE]"
}

extension TestServer {
  /// A model behind this server, as the worker supplies it.
  func model(
    key: String? = nil,
    headers: [String: String] = [:],
    timeout: Duration = .seconds(10)
  ) throws -> RemoteLanguageModel {
    RemoteLanguageModel(
      ChatCompletionsLanguageModel(
        name: "some-model",
        url: try url,
        key: key,
        additionalHeaders: headers,
        timeout: timeout
      ),
      environment: [:]
    )
  }

  /// Sends one prompt to the model behind this server.
  func ask(
    tools: [any Tool] = [],
    key: String? = nil,
    timeout: Duration = .seconds(10),
    options: GenerationOptions = GenerationOptions()
  ) async throws -> LanguageModelSession.Response<String> {
    let session = LanguageModelSession(
      model: try model(key: key, timeout: timeout),
      tools: tools,
      instructions: "Be brief."
    )
    return try await session.respond(to: "Hello", options: options)
  }
}

/// Records its calls; the calls of one round arrive at the same time.
struct Weather: Tool {
  let name = "weather"
  let description = "Tells the weather."
  @Generable struct Arguments { var city: String }

  func call(arguments: Arguments) async throws -> String { "It rains in \(arguments.city)." }
}

extension Sequence where Element == Transcript.Entry {
  /// Each entry in a few words.
  var outline: [String] {
    map { entry in
      switch entry {
      case .instructions: "instructions"
      case .prompt: "prompt"
      case .toolCalls(let calls):
        "calls " + calls.map { "\($0.toolName)\($0.arguments.jsonString)" }.joined(separator: " ")
      case .toolOutput(let output): "output \(output.segments.joinedText)"
      case .response(let response): "response \(response.segments.joinedText)"
      case .reasoning(let reasoning): "reasoning \(reasoning.segments.joinedText)"
      }
    }
  }
}
