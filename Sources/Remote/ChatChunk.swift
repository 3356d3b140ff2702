import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A piece of an answer, or a whole one, as servers send it.
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
      // Two names for one thing: llama.cpp and DeepSeek say the first, vLLM and others the second,
      // some of them with an object that is no text.
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
        // Some send what the arguments are, instead of their text.
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
      // Some number their calls here.
      let number = try? values.decodeIfPresent(Int.self, forKey: .id)
      id = try number.map(String.init) ?? values.decodeIfPresent(String.self, forKey: .id)
    }
  }

  /// What is said, as a text or as a list of parts.
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

    /// Figures that are none are left out: an answer is not worth less for them.
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

  /// The message of the only choice that is asked for.
  var message: Message? { choices?.first?.delta ?? choices?.first?.message }
  /// Why the answer is over; some say an empty one with every piece before that.
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
    // Some send the error itself, in the place of a piece.
    error =
      try values.decodeIfPresent(ServerProblem.self, forKey: .error)
      ?? (choices == nil ? ServerProblem(bare: decoder) : nil)
  }
}

/// What a server says is wrong; some say it as an object, some as a text.
struct ServerProblem: Decodable {
  private(set) var message: String
  private(set) var type: String?
  private(set) var param: String?
  private(set) var code: String?
  /// The figures of a context that does not fit, as llama-server gives them.
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
    // A number here, a name there.
    code =
      (try? values.decodeIfPresent(String.self, forKey: .code))
      ?? (try? values.decodeIfPresent(Int.self, forKey: .code)).map { "\($0)" }
    promptTokens = try? values.decodeIfPresent(Int.self, forKey: .promptTokens)
    contextSize = try? values.decodeIfPresent(Int.self, forKey: .contextSize)
  }

  /// An error that stands in nothing that says so; `nil` where there is no reason in it.
  init?(bare decoder: any Decoder) {
    guard let values = try? decoder.container(keyedBy: CodingKeys.self),
      (try? values.decodeIfPresent(String.self, forKey: .message)) != nil
    else { return nil }
    try? self.init(from: decoder)
  }

  /// The error of a response's body, where it holds one.
  static func found(in body: [UInt8]) -> ServerProblem? {
    struct Body: Decodable {
      let problem: ServerProblem?

      enum CodingKeys: CodingKey { case error, detail }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        problem =
          try values.decodeIfPresent(ServerProblem.self, forKey: .error)
          ?? ServerProblem(bare: decoder)
          // What FastAPI's servers say instead.
          ?? (try? values.decodeIfPresent(String.self, forKey: .detail))
          .map(ServerProblem.init(message:))
      }
    }
    return try? JSONDecoder().decode(Body.self, from: Data(body)).problem
  }

  private init(message: String) {
    self.message = message
  }
}
