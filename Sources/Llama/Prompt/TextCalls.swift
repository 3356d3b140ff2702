import AgentKit

/// Tools, calls and outputs as text, for models whose chat template supports none: in the form
/// of Hermes and Qwen, which more models have learned than any other.
enum TextCalls {
  static let callMarks = (begin: "<tool_call>", end: "</tool_call>")
  private static let outputMarks = (begin: "<tool_response>", end: "</tool_response>")
  private static let toolMarks = (begin: "<tools>", end: "</tools>")

  /// Every mark, none of which may be broken up where it is a control token.
  static let marks = [callMarks, outputMarks, toolMarks].flatMap { [$0.begin, $0.end] }

  /// Returns a chat that begins with the definitions of tools, after its instructions.
  ///
  /// - Parameter tools: A JSON array of tools.
  static func describing(_ tools: String, in messages: [ChatMessage]) -> [ChatMessage] {
    let elements = (try? GeneratedContent(json: tools))?.elements ?? []
    let text = """
      # Tools

      You may call one or more functions to assist with the user query.

      You are provided with function signatures within \(toolMarks.begin)\(toolMarks.end) XML tags:
      \(toolMarks.begin)
      \(elements.map(\.jsonString).joined(separator: "\n"))
      \(toolMarks.end)

      For each function call, return a json object with function name and arguments within \
      \(callMarks.begin)\(callMarks.end) XML tags:
      \(callMarks.begin)
      {"name": <function-name>, "arguments": <args-json-object>}
      \(callMarks.end)
      """
    guard var head = messages.first, head.isInstructions else {
      return [.instructions(text)] + messages
    }
    head.append(.instructions(text))
    return [head] + messages.dropFirst()
  }

  /// Returns a chat with its calls among the words of the model, and their outputs among those of
  /// the person.
  static func written(_ messages: [ChatMessage]) -> [ChatMessage] {
    var result: [ChatMessage] = []
    var isAfterOutput = false
    for message in messages {
      defer { isAfterOutput = message.isOutput }
      guard message.isOfCalls else {
        result.append(message)
        continue
      }
      if message.isOutput, isAfterOutput {
        result[result.count - 1].content.append(output(message.content), separator: "\n")
      } else if message.isOutput {
        result.append(ChatMessage("user", output(message.content)))
      } else {
        var spoken = message
        spoken.calls = []
        spoken.content.append(
          .text(message.calls.map(text).joined(separator: "\n")),
          separator: "\n"
        )
        result.append(spoken)
      }
    }
    return result
  }

  /// Returns a message in whose texts nothing spells a mark.
  ///
  /// A tool's output could otherwise end its own block and go on as a call.
  static func withoutMarks(_ message: ChatMessage) -> ChatMessage {
    var message = message
    switch message.content {
    case .text(let text): message.content = .text(broken(text))
    case .parts(let parts):
      message.content = .parts(
        parts.map { $0.isText ? .text(broken($0.text, isPart: true)) : $0 }
      )
    }
    message.reasoning = message.reasoning.map { broken($0) }
    for index in message.calls.indices {
      message.calls[index].name = broken(message.calls[index].name)
      message.calls[index].arguments = broken(message.calls[index].arguments)
    }
    return message
  }

  /// Breaks the marks in a text up with a space of no width, as control tokens are broken up.
  ///
  /// - Parameter isPart: Whether another text may follow that completes a mark.
  private static func broken(_ text: String, isPart: Bool = false) -> String {
    // By bytes, as a tokenizer reads: a mark may be followed by a combining character.
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    for (place, byte) in bytes.enumerated() {
      result.append(byte)
      guard byte == UInt8(ascii: "<") else { continue }
      let rest = bytes[place...].prefix(longestMark)
      let beginsMark = marks.contains { mark in
        rest.starts(with: mark.utf8) || isPart && mark.utf8.starts(with: rest)
      }
      if beginsMark { result += "\u{200B}".utf8 }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let longestMark = marks.map(\.utf8.count).max() ?? 0

  private static func text(of call: ChatMessage.Call) -> String {
    """
    \(callMarks.begin)
    {"name": \(GeneratedContent(call.name).jsonString), "arguments": \(call.argumentsAsJSON)}
    \(callMarks.end)
    """
  }

  private static func output(_ content: ChatMessage.Content) -> ChatMessage.Content {
    var whole = ChatMessage.Content.text(outputMarks.begin)
    whole.append(content, separator: "\n")
    whole.append(.text(outputMarks.end), separator: "\n")
    return whole
  }
}

extension ChatMessage.Call {
  /// The arguments as they are, or as a text where they are no JSON.
  var argumentsAsJSON: String {
    let content = try? GeneratedContent(json: arguments)
    return content?.isComplete == true ? arguments : GeneratedContent(arguments).jsonString
  }
}
