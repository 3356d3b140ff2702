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
      content = try values.decodeIfPresent(String.self, forKey: .content)
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
    }

    let index: Int?
    let id: String?
    let function: Function?
  }

  struct Usage: Decodable {
    struct Prompt: Decodable {
      let cached: Int?
      enum CodingKeys: String, CodingKey { case cached = "cached_tokens" }
    }
    struct Completion: Decodable {
      let reasoning: Int?
      enum CodingKeys: String, CodingKey { case reasoning = "reasoning_tokens" }
    }

    let prompt: Int?
    let completion: Int?
    let promptDetails: Prompt?
    let completionDetails: Completion?

    enum CodingKeys: String, CodingKey {
      case prompt = "prompt_tokens"
      case completion = "completion_tokens"
      case promptDetails = "prompt_tokens_details"
      case completionDetails = "completion_tokens_details"
    }
  }

  let choices: [Choice]?
  let usage: Usage?
  let error: ServerProblem?

  /// The message of the only choice that is asked for.
  var message: Message? { choices?.first?.delta ?? choices?.first?.message }
  var finishReason: String? { choices?.first?.finishReason }

  init(json: String) throws {
    self = try JSONDecoder().decode(ChatChunk.self, from: Data(json.utf8))
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

  /// The error of a response's body, where it holds one.
  static func found(in body: [UInt8]) -> ServerProblem? {
    struct Body: Decodable {
      let error: ServerProblem?
      /// What FastAPI's servers say instead.
      let detail: String?
      let message: String?
    }
    guard let found = try? JSONDecoder().decode(Body.self, from: Data(body)) else { return nil }
    if let error = found.error { return error }
    return (found.message ?? found.detail).map(ServerProblem.init(message:))
  }

  private init(message: String) {
    self.message = message
  }
}
