import Coordination
import Transcripts

/// Reads the body of a request for a chat completion.
enum ChatCompletionRequest {
  private static let refused = [
    "logprobs", "top_logprobs", "logit_bias", "audio", "prediction", "web_search_options",
  ]
  private static let read = RequestParameters.accepted.union([
    "model", "messages", "stream", "n", "temperature", "top_p", "seed", "stop", "max_tokens",
    "max_completion_tokens", "reasoning_effort", "response_format", "frequency_penalty",
    "presence_penalty", "modalities", "tool_choice", "tools",
  ])

  static func read(_ bytes: some Collection<UInt8>) throws(OpenAIError) -> ModelRequest {
    let body = try RequestField.body(bytes)
    var request = ModelRequest(ModelName(try body.required("model").string()))
    try RequestParameters.refuse(body, refused)
    if let count = body["n"], try count.integer(in: 1...128) != 1 {
      throw .unsupported("n", "One answer is given to a request: 'n' must be 1.")
    }
    if let kinds = body["modalities"], try !kinds.list().allSatisfy({ $0.text == "text" }) {
      throw .unsupported("modalities", "Answers are text: 'modalities' must be [\"text\"].")
    }
    for message in try body.required("messages").list() { try request.add(message) }
    try request.validate(param: "messages")
    request.isStreaming = try body["stream"]?.bool() ?? false
    request.includesUsage = try body["stream_options"]?["include_usage"]?.bool() ?? false
    request.isStored = try body["store"]?.bool() ?? true
    try request.readMetadata(body["metadata"])
    try request.parameters.readSampling(body)
    try request.parameters.readTokens(body["max_completion_tokens"] ?? body["max_tokens"])
    try request.parameters.readStop(body["stop"])
    try request.parameters.readEffort(body["reasoning_effort"])
    try request.parameters.readFormat(body["response_format"]) { field throws(OpenAIError) in
      try field.required("json_schema").object()
    }
    try request.parameters.readToolChoice(body["tool_choice"])
    try request.parameters.readTools(body["tools"]) { tool throws(OpenAIError) in
      try tool.required("function").object()
    }
    request.parameters.listIgnored(body, read: read)
    return request
  }
}

extension ModelRequest {
  fileprivate mutating func add(_ message: RequestField) throws(OpenAIError) {
    let role = try message.object().required("role")
    switch try role.string() {
    case "system", "developer":
      instructions.append(try MessageContent(message.required("content")).text)
    case "user":
      let content = try MessageContent(message.required("content"))
      messages.append(ClientMessage(role: .user, text: content.text, images: content.images))
    case "assistant":
      let text = try message["content"].map { field throws(OpenAIError) in
        try MessageContent(field).text
      }
      let calls = try message["tool_calls"]?.list().map { call throws(OpenAIError) in
        let function = try call.required("function").object()
        return ClientMessage.Call(
          id: try call.required("id").string(),
          name: try function.required("name").string(),
          arguments: try function["arguments"]?.string() ?? "{}"
        )
      }
      messages.append(ClientMessage(role: .assistant, text: text ?? "", calls: calls ?? []))
    case "tool":
      let output = try MessageContent(message.required("content"))
      messages.append(
        ClientMessage(
          role: .tool,
          text: output.text,
          images: output.images,
          callID: try message.required("tool_call_id").string()
        )
      )
    default: throw role.wrong("system, developer, user, assistant or tool")
    }
  }

  /// Reads what the client wants to find again; one name in it chooses the session.
  mutating func readMetadata(_ field: RequestField?) throws(OpenAIError) {
    guard let field else { return }
    metadata = try field.object().content
    if case .none = key, let session = field["session"] { key = .named(try session.string()) }
  }
}

extension RequestParameters {
  /// Reads whether functions may or must be called.
  mutating func readToolChoice(_ field: RequestField?) throws(OpenAIError) {
    guard let field else { return }
    guard let choice = field.text, ["none", "auto"].contains(choice) else {
      throw .unsupported(
        field.path,
        "A call of one of the client's functions cannot be required: 'tool_choice' must be 'auto'"
          + " or 'none'."
      )
    }
    if choice == "none" { disallowTools() }
  }
}
