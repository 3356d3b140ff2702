import AgentKit

/// A conversation in the form that a chat-completions server takes, with what an agent on the same
/// entries is shown.
struct Chat: Sendable {
  private let messages: [GeneratedContent]
  private let tools: [GeneratedContent]

  init(instructions: String, tools: [any Tool] = [], _ entries: [Transcript.Entry]) {
    self.tools = tools.map { tool in
      let function = GeneratedContent(properties: [
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters.jsonSchema,
      ])
      return GeneratedContent(properties: ["type": "function", "function": function])
    }
    let system = GeneratedContent(properties: ["role": "system", "content": instructions])
    messages = [system] + entries.map(Self.message)
  }

  /// Creates a question with nothing before it.
  init(instructions: String, question: String) {
    self.init(
      instructions: instructions,
      [.prompt(.init(segments: [.text(.init(content: question))]))]
    )
  }

  private static func message(_ entry: Transcript.Entry) -> GeneratedContent {
    switch entry {
    case .toolCalls(let calls):
      let calls = calls.map { call in
        let function = GeneratedContent(properties: [
          "name": call.toolName,
          "arguments": call.arguments.jsonString,
        ])
        return GeneratedContent(properties: [
          "id": call.id,
          "type": "function",
          "function": function,
        ])
      }
      return GeneratedContent(properties: [
        "role": "assistant",
        "content": "",
        "tool_calls": GeneratedContent(kind: .array(calls)),
      ])
    case .toolOutput(let output):
      return GeneratedContent(properties: [
        "role": "tool",
        "tool_call_id": output.id,
        "content": "\(entry)",
      ])
    case .response, .reasoning:
      return GeneratedContent(properties: ["role": "assistant", "content": "\(entry)"])
    case .prompt, .instructions:
      return GeneratedContent(properties: ["role": "user", "content": "\(entry)"])
    }
  }

  /// Returns the request, in JSON, for an answer of at most this many tokens.
  func body(tokens: Int) -> String {
    var fields = [
      #""messages":\#(GeneratedContent(kind: .array(messages)).jsonString)"#,
      #""stream":true,"temperature":0,"timings_per_token":true,"max_tokens":\#(tokens)"#,
    ]
    if !tools.isEmpty {
      fields.append(#""tools":\#(GeneratedContent(kind: .array(tools)).jsonString)"#)
    }
    return "{\(fields.joined(separator: ","))}"
  }
}
