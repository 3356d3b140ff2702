import AgentKit

/// A chunk of an answer, or a whole answer, as servers send it.
///
/// Everything is optional: no two servers send the same fields.
struct ChatChunk {
  struct Message {
    let content: String?
    let refusal: String?
    let reasoning: String?
    let calls: [Call]
    /// The fields that mean something only to the server.
    let opaque: OpaqueFields

    /// The fields that are understood, and those that say nothing about later requests.
    private static let known: Set = [
      "role", "content", "refusal", "reasoning_content", "tool_calls", "function_call", "audio",
      "annotations", "name", "tool_call_id", "token_ids",
    ]

    init(_ fields: SentFields) {
      content = fields.read("content", Self.content)
      refusal = fields.text("refusal")
      calls = fields.objects("tool_calls").map(Call.init)
      // Two names for one field: llama.cpp and DeepSeek use the first, vLLM and others the second,
      // some of them with an object instead of text.
      let text = fields["reasoning"]?.text
      reasoning = fields.text("reasoning_content") ?? text
      let isText = text != nil
      opaque = fields.others(than: isText ? Self.known.union(["reasoning"]) : Self.known)
    }

    /// Returns the content of a message, which is a text or a list of parts.
    private static func content(_ content: GeneratedContent) -> String? {
      guard case .array(let parts) = content.kind else { return content.text }
      return parts.compactMap { SentFields($0)?["text"]?.text }.joined()
    }
  }

  struct Call {
    let index: Int?
    let id: String?
    let name: String?
    let arguments: String?
    /// The fields that mean something only to the server.
    let opaque: OpaqueFields

    init(_ fields: SentFields) {
      index = fields.whole("index")
      // Some servers number their calls here.
      id = fields.read("id") { $0.text ?? $0.integer.map(String.init) }.map(SplitPair.joined)
      let function = fields.object("function")
      name = function?.text("name").map(SplitPair.joined)
      // Some servers send the arguments themselves instead of their text.
      arguments = function?["arguments"].map { $0.text ?? $0.jsonString }
      var opaque = fields.others(than: ["index", "id", "type", "function"])
      if let more = function?.others(than: ["name", "arguments"]), !more.isEmpty {
        opaque.merge(OpaqueFields([("function", more.content)]))
      }
      self.opaque = opaque
    }
  }

  struct Usage {
    let prompt: Int?
    let completion: Int?
    let cached: Int?
    let reasoning: Int?

    /// Reads the usage, without invalid figures: the answer is worth no less for them.
    init(_ fields: SentFields) {
      func count(_ name: String, in fields: SentFields?) -> Int? {
        guard case .number(let count)? = fields?[name]?.kind, 0...1e12 ~= count else { return nil }
        return Int(count)
      }
      prompt = count("prompt_tokens", in: fields)
      completion = count("completion_tokens", in: fields)
      cached = count("cached_tokens", in: fields.object("prompt_tokens_details"))
      reasoning = count("reasoning_tokens", in: fields.object("completion_tokens_details"))
    }
  }

  /// The message of the only requested choice.
  let message: Message?
  /// Why the answer is over; some servers send an empty reason with every earlier chunk.
  let finishReason: String?
  let usage: Usage?
  let error: ServerProblem?
  /// The names of the fields that were left out because they are not of the expected type.
  let omitted: [String]

  /// Reads a chunk.
  /// - Throws: `GeneratedContent.ParsingError` if the text is not complete JSON.
  init(json: String) throws {
    let content = try GeneratedContent(json: SplitPair.marked(json))
    guard content.isComplete else {
      throw GeneratedContent.ParsingError(rawContent: json, debugDescription: "It breaks off.")
    }
    let omissions = SentFields.Omissions()
    guard let fields = SentFields(content, noting: omissions) else {
      (message, finishReason, usage, error, omitted) = (nil, nil, nil, nil, ["chunk"])
      return
    }
    let choice = fields.objects("choices").first
    // A server that does not stream sends the whole message instead of a part of it.
    message = (choice?.object("delta") ?? choice?.object("message")).map(Message.init)
    finishReason = choice?.text("finish_reason").flatMap { $0.isEmpty ? nil : $0 }
    usage = fields.object("usage").map(Usage.init)
    // Some servers send the error itself in place of a chunk.
    error =
      fields["error"].map(ServerProblem.init)
      ?? (fields["choices"] == nil ? ServerProblem(bare: fields) : nil)
    omitted = omissions.names
  }
}
