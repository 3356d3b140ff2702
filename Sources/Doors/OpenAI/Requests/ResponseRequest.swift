import Coordination
import Transcripts

/// Reads the body of a request for a response.
enum ResponseRequest {
  private static let refused = ["top_logprobs", "logit_bias", "audio", "prompt", "modalities"]
  private static let read = RequestParameters.accepted.union([
    "model", "input", "instructions", "stream", "temperature", "top_p", "seed", "stop",
    "max_output_tokens", "max_tool_calls", "reasoning", "text", "frequency_penalty",
    "presence_penalty", "previous_response_id", "conversation", "background", "tool_choice",
    "tools",
  ])

  static func read(_ bytes: some Collection<UInt8>) throws(OpenAIError) -> ModelRequest {
    let body = try RequestField.body(bytes)
    var request = ModelRequest(ModelName(try body.required("model").string()))
    try RequestParameters.refuse(body, refused)
    try request.readKey(body)
    if let instructions = body["instructions"] {
      request.instructions.append(try instructions.string())
    }
    let input = try body.required("input")
    if let text = input.text {
      request.messages.append(ClientMessage(role: .user, text: text))
    } else {
      for item in try input.list() { try request.add(item: item) }
    }
    try request.validate(param: "input")
    request.isStreaming = try body["stream"]?.bool() ?? false
    request.isStored = try body["store"]?.bool() ?? true
    request.isInBackground = try body["background"]?.bool() ?? false
    guard request.isStored || !request.isInBackground else {
      throw .unsupported("background", "A response in the background must be stored.")
    }
    try request.readMetadata(body["metadata"])
    try request.parameters.readSampling(body)
    try request.parameters.readTokens(body["max_output_tokens"])
    try request.parameters.readCalls(body["max_tool_calls"])
    try request.parameters.readStop(body["stop"])
    try request.parameters.readEffort(body["reasoning"]?["effort"])
    try request.parameters.readFormat(body["text"]?["format"]) { field throws(OpenAIError) in field
    }
    try request.parameters.readToolChoice(body["tool_choice"])
    try request.parameters.readTools(body["tools"]) { tool throws(OpenAIError) in tool }
    request.parameters.listIgnored(body, read: read)
    for name in ["instructions", "max_output_tokens", "previous_response_id", "text", "truncation"]
    {
      request.parameters.echoes[name] = body[name]?.content
    }
    return request
  }
}

extension ModelRequest {
  /// Reads what the input follows.
  fileprivate mutating func readKey(_ body: RequestField) throws(OpenAIError) {
    let (previous, conversation) = (body["previous_response_id"], body["conversation"])
    guard previous == nil || conversation == nil else {
      throw .invalid(
        "conversation",
        "'previous_response_id' and 'conversation' both say what the input follows. Send one."
      )
    }
    if let previous {
      let id = try previous.string()
      guard let turn = ResponseID(id)?.turn else {
        throw .notFound("previous_response", "There is no response '\(id)'.", param: previous.path)
      }
      key = .following(turn: turn)
    } else if let conversation {
      let id = try conversation.isObject ? conversation.required("id") : conversation
      key = .appending(ConversationID.session(of: try id.string()))
    }
  }

  fileprivate mutating func add(item: RequestField) throws(OpenAIError) {
    let type = try item.object()["type"]
    switch try type?.string() ?? "message" {
    case "message": try add(message: item)
    case "function_call":
      let call = ClientMessage.Call(
        id: try item.required("call_id").string(),
        name: try item.required("name").string(),
        arguments: try item["arguments"]?.string() ?? "{}"
      )
      // Calls of one round are one message.
      if let last = messages.last, last.role == .assistant {
        messages[messages.endIndex - 1].calls.append(call)
      } else {
        messages.append(ClientMessage(role: .assistant, text: "", calls: [call]))
      }
    case "function_call_output":
      let output = try MessageContent(item.required("output"))
      messages.append(
        ClientMessage(
          role: .tool,
          text: output.text,
          images: output.images,
          callID: try item.required("call_id").string()
        )
      )
    // What went on inside was shown to the client, and says nothing to the model.
    case "reasoning", "mcp_call", "mcp_list_tools", "mcp_approval_request": break
    case let other:
      throw .unsupported(
        (type ?? item).path,
        "Items of the type '\(other)' are not supported. To go on from an earlier response, send"
          + " 'previous_response_id'."
      )
    }
  }

  private mutating func add(message: RequestField) throws(OpenAIError) {
    let role = try message.required("role")
    let content = try MessageContent(message.required("content"))
    switch try role.string() {
    case "system", "developer": instructions.append(content.text)
    case "user":
      messages.append(ClientMessage(role: .user, text: content.text, images: content.images))
    case "assistant": messages.append(ClientMessage(role: .assistant, text: content.text))
    default: throw role.wrong("system, developer, user or assistant")
    }
  }
}

/// The identity of a response, which is that of its turn.
struct ResponseID: Equatable, CustomStringConvertible {
  private static let prefix = "resp_"

  let turn: Int64

  init(turn: Int64) { self.turn = turn }

  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix), let turn = Int64(text.dropFirst(Self.prefix.count)),
      turn > 0, Self.prefix + "\(turn)" == text
    else { return nil }
    self.turn = turn
  }

  var description: String { "\(Self.prefix)\(turn)" }
}

/// The identity of a conversation, which is the name of its session.
enum ConversationID {
  private static let prefix = "conv_"

  static func text(of session: String) -> String { prefix + session }

  /// Returns the session that a client names, by the identity or by its own name.
  static func session(of text: String) -> String {
    text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
  }
}
