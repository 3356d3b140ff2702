import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A chunk of an answer, or a whole answer, as servers send it.
///
/// Everything is optional: no two servers send the same fields.
struct ChatChunk: Decodable {
  struct Choice: Decodable {
    let delta: Message?
    /// A server that does not stream sends the whole message instead.
    let message: Message?
    let finishReason: String?

    enum CodingKeys: String, CodingKey {
      case delta, message
      case finishReason = "finish_reason"
    }
  }

  struct Message: Decodable {
    let content: String?
    let refusal: String?
    let reasoning: String?
    let calls: [Call]?

    enum CodingKeys: String, CodingKey {
      case content, refusal, reasoning
      case reasoningContent = "reasoning_content"
      case calls = "tool_calls"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      content = try values.decodeIfPresent(Content.self, forKey: .content)?.text
      refusal = try values.decodeIfPresent(String.self, forKey: .refusal)
      calls = try values.decodeIfPresent([Call].self, forKey: .calls)
      // Two names for one field: llama.cpp and DeepSeek use the first, vLLM and others the second,
      // some of them with an object instead of text.
      reasoning =
        try values.decodeIfPresent(String.self, forKey: .reasoningContent)
        ?? (try? values.decodeIfPresent(String.self, forKey: .reasoning))
    }
  }

  struct Call: Decodable {
    struct Function: Decodable {
      let name: String?
      let arguments: String?

      enum CodingKeys: CodingKey { case name, arguments }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        // Some servers send the arguments themselves instead of their text.
        arguments =
          try (try? values.decodeIfPresent(String.self, forKey: .arguments))
          ?? values.decodeIfPresent(CodableContent.self, forKey: .arguments)?.content.jsonString
      }
    }

    let index: Int?
    let id: String?
    let function: Function?

    enum CodingKeys: CodingKey { case index, id, function }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      index = try values.decodeIfPresent(Int.self, forKey: .index)
      function = try values.decodeIfPresent(Function.self, forKey: .function)
      // Some servers number their calls here.
      let number = try? values.decodeIfPresent(Int.self, forKey: .id)
      id = try number.map(String.init) ?? values.decodeIfPresent(String.self, forKey: .id)
    }
  }

  /// The content of a message, as text or as a list of parts.
  private struct Content: Decodable {
    private struct Part: Decodable {
      let text: String?
    }

    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      text =
        try (try? value.decode(String.self))
        ?? value.decode([Part].self).compactMap(\.text).joined()
    }
  }

  struct Usage: Decodable {
    private enum CodingKeys: String, CodingKey {
      case prompt = "prompt_tokens"
      case completion = "completion_tokens"
      case promptDetails = "prompt_tokens_details"
      case completionDetails = "completion_tokens_details"
      case cached = "cached_tokens"
      case reasoning = "reasoning_tokens"
    }

    let prompt: Int?
    let completion: Int?
    let cached: Int?
    let reasoning: Int?

    /// Decodes the usage, without invalid figures: the answer is worth no less for them.
    init(from decoder: any Decoder) throws {
      typealias Values = KeyedDecodingContainer<CodingKeys>
      func count(_ key: CodingKeys, in values: Values?) -> Int? {
        guard let count = try? values?.decode(Double.self, forKey: key), 0...1e12 ~= count else {
          return nil
        }
        return Int(count)
      }
      let values = try? decoder.container(keyedBy: CodingKeys.self)
      func details(_ key: CodingKeys) -> Values? {
        try? values?.nestedContainer(keyedBy: CodingKeys.self, forKey: key)
      }
      prompt = count(.prompt, in: values)
      completion = count(.completion, in: values)
      cached = count(.cached, in: details(.promptDetails))
      reasoning = count(.reasoning, in: details(.completionDetails))
    }
  }

  let choices: [Choice]?
  let usage: Usage?
  let error: ServerProblem?

  /// The message of the only requested choice.
  var message: Message? { choices?.first?.delta ?? choices?.first?.message }
  /// Why the answer is over; some servers send an empty reason with every earlier chunk.
  var finishReason: String? {
    choices?.first?.finishReason.flatMap { $0.isEmpty ? nil : $0 }
  }

  init(json: String) throws {
    self = try JSONDecoder().decode(ChatChunk.self, from: Data(json.utf8))
  }

  private enum CodingKeys: CodingKey { case choices, usage, error }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    choices = try values.decodeIfPresent([Choice].self, forKey: .choices)
    usage = try values.decodeIfPresent(Usage.self, forKey: .usage)
    // Some servers send the error itself in place of a chunk.
    error =
      try values.decodeIfPresent(ServerProblem.self, forKey: .error)
      ?? (choices == nil ? ServerProblem(bare: decoder) : nil)
  }
}

/// An error reported by a server, which may be an object or text.
struct ServerProblem: Decodable {
  private(set) var message: String
  private(set) var type: String?
  private(set) var param: String?
  private(set) var code: String?
  /// The figures of a context overflow, as llama-server reports them.
  private(set) var promptTokens: Int?
  private(set) var contextSize: Int?

  enum CodingKeys: String, CodingKey {
    case message, type, param, code
    case promptTokens = "n_prompt_tokens"
    case contextSize = "n_ctx"
  }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      message = text
      return
    }
    let values = try decoder.container(keyedBy: CodingKeys.self)
    message = try values.decodeIfPresent(String.self, forKey: .message) ?? "no reason given"
    type = try? values.decodeIfPresent(String.self, forKey: .type)
    param = try? values.decodeIfPresent(String.self, forKey: .param)
    // Some servers send a number, others a name.
    code =
      (try? values.decodeIfPresent(String.self, forKey: .code))
      ?? (try? values.decodeIfPresent(Int.self, forKey: .code)).map { "\($0)" }
    promptTokens = try? values.decodeIfPresent(Int.self, forKey: .promptTokens)
    contextSize = try? values.decodeIfPresent(Int.self, forKey: .contextSize)
  }

  /// Decodes an error that is not wrapped in an error field; `nil` when it gives no reason.
  init?(bare decoder: any Decoder) {
    guard let values = try? decoder.container(keyedBy: CodingKeys.self),
      (try? values.decodeIfPresent(String.self, forKey: .message)) != nil
    else { return nil }
    try? self.init(from: decoder)
  }

  /// Returns the error in a response's body, if there is one.
  static func found(in body: [UInt8]) -> ServerProblem? {
    struct Body: Decodable {
      let problem: ServerProblem?

      enum CodingKeys: CodingKey { case error, message, detail }

      init(from decoder: any Decoder) throws {
        // Google's server sends a list of one error.
        if var list = try? decoder.unkeyedContainer() {
          problem = try list.decode(Body.self).problem
          return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        problem =
          try values.decodeIfPresent(ServerProblem.self, forKey: .error)
          ?? ServerProblem(bare: decoder)
          ?? Self.words(in: values).map(ServerProblem.init(message:))
      }

      private static func words(in values: KeyedDecodingContainer<CodingKeys>) -> String? {
        // The format of FastAPI's servers.
        if let text = try? values.decodeIfPresent(String.self, forKey: .detail) { return text }
        // They and Mistral's list the fields that they reject.
        for key in [CodingKeys.detail, .message] {
          if let list = try? values.decodeIfPresent(CodableContent.self, forKey: key) {
            return list.content.jsonString
          }
        }
        return nil
      }
    }
    return try? JSONDecoder().decode(Body.self, from: Data(body)).problem
  }

  private init(message: String) {
    self.message = message
  }
}
