import AgentKit

/// A message of a chat, in the terms of OpenAI's chat completions.
struct ChatMessage: Sendable, Equatable {
  enum Content: Sendable, Equatable {
    case text(String)
    case parts([Part])
  }

  /// A text, or the mark of an image.
  struct Part: Sendable, Equatable {
    let type: String
    var text: String

    var isText: Bool { type == "text" }

    static func text(_ text: String) -> Part { Part(type: "text", text: text) }
  }

  struct Call: Sendable, Equatable {
    let id: String
    var name: String
    /// JSON, which another model may have written.
    var arguments: String
  }

  var role: String
  var content: Content
  var calls: [Call] = []
  var reasoning: String?
  /// The name of the tool that returned the content.
  var toolName: String?
  /// The identity of the call that is answered.
  var callID: String?

  init(_ role: String, _ content: Content) {
    self.role = role
    self.content = content
  }

  static func instructions(_ text: String) -> Self { Self("system", .text(text)) }
  static func prompt(_ text: String) -> Self { Self("user", .text(text)) }
  static func answer(_ text: String) -> Self { Self("assistant", .text(text)) }

  static func calls(_ calls: Call...) -> Self {
    var message = answer("")
    message.calls = calls
    return message
  }

  static func output(_ text: String, of call: Call) -> Self {
    var message = Self("tool", .text(text))
    message.toolName = call.name
    message.callID = call.id
    return message
  }

  var isInstructions: Bool { role == "system" }
  var isPrompt: Bool { role == "user" }
  /// Whether the model said this, and called nothing.
  var isAnswer: Bool { role == "assistant" && calls.isEmpty }
  var isOutput: Bool { role == "tool" }
  var isOfCalls: Bool { isOutput || !calls.isEmpty }
}

// MARK: Joining

extension ChatMessage.Content {
  private var parts: [ChatMessage.Part] {
    switch self {
    case .text(let text): text.isEmpty ? [] : [.text(text)]
    case .parts(let parts): parts
    }
  }

  /// Adds another content after this one.
  ///
  /// Two texts become one, because templates differ in what they write between the texts of a
  /// message. An empty content adds nothing, not even the separator.
  mutating func append(_ next: Self, separator: String) {
    if case .text(let text) = self, case .text(let other) = next {
      self = .text(text.isEmpty || other.isEmpty ? text + other : text + separator + other)
      return
    }
    let (parts, others) = (parts, next.parts)
    guard let last = parts.last, let first = others.first else {
      self = .parts(parts + others)
      return
    }
    let begin = last.isText ? last.text : ""
    let joined = ChatMessage.Part.text(begin + separator + (first.isText ? first.text : ""))
    self = .parts(
      (last.isText ? parts.dropLast() : parts) + [joined] + others.dropFirst(first.isText ? 1 : 0)
    )
  }
}

extension ChatMessage {
  /// The separator of two messages that become one.
  static let blankLine = "\n\n"

  /// Adds a later message of the same side to this one.
  mutating func append(_ next: ChatMessage) {
    content.append(next.content, separator: Self.blankLine)
    if let later = next.reasoning {
      reasoning = reasoning.map { $0.isEmpty ? later : $0 + Self.blankLine + later } ?? later
    }
  }
}

// MARK: JSON

extension ChatMessage {
  /// Reads a message.
  ///
  /// - Returns: `nil` where this is no message; llama.cpp then says why.
  init?(_ json: GeneratedContent) {
    guard let role = json["role"]?.text else { return nil }
    switch json["content"]?.kind {
    case nil, .null: self.init(role, .text(""))
    case .string(let text): self.init(role, .text(text))
    case .array(let elements):
      let parts = elements.compactMap { part -> Part? in
        guard let type = part["type"]?.text, let text = part["text"]?.text else { return nil }
        return Part(type: type, text: text)
      }
      guard parts.count == elements.count else { return nil }
      self.init(role, .parts(parts))
    default: return nil
    }
    if let calls = json["tool_calls"] {
      guard let elements = calls.elements else { return nil }
      self.calls = elements.compactMap(Call.init)
      guard self.calls.count == elements.count else { return nil }
    }
    reasoning = json["reasoning_content"]?.text
    toolName = json["name"]?.text
    callID = json["tool_call_id"]?.text
  }

  var json: GeneratedContent {
    var fields: [(String, any ConvertibleToGeneratedContent)] = [
      ("role", role), ("content", content.json),
    ]
    if !calls.isEmpty {
      fields.append(("tool_calls", GeneratedContent(kind: .array(calls.map(\.json)))))
    }
    if let reasoning { fields.append(("reasoning_content", reasoning)) }
    if let toolName { fields.append(("name", toolName)) }
    if let callID { fields.append(("tool_call_id", callID)) }
    return GeneratedContent(properties: fields, uniquingKeysWith: { $1 })
  }
}

extension ChatMessage.Content {
  fileprivate var json: GeneratedContent {
    switch self {
    case .text(let text): GeneratedContent(text)
    case .parts(let parts):
      GeneratedContent(
        kind: .array(
          parts.map { GeneratedContent(properties: ["type": $0.type, "text": $0.text]) }
        )
      )
    }
  }
}

extension ChatMessage.Call {
  fileprivate init?(_ json: GeneratedContent) {
    guard json["type"]?.text == "function", let function = json["function"],
      let name = function["name"]?.text, let arguments = function["arguments"]
    else { return nil }
    self.init(
      id: json["id"]?.text ?? "",
      name: name,
      arguments: arguments.text ?? arguments.jsonString
    )
  }

  fileprivate var json: GeneratedContent {
    GeneratedContent(properties: [
      "id": id,
      "type": "function",
      "function": GeneratedContent(properties: ["name": name, "arguments": arguments]),
    ])
  }
}
