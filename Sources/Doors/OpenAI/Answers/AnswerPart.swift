import Transcripts

/// A part of what a client is told of a turn, whichever API it uses.
enum AnswerPart: Equatable, Sendable {
  case begun(turn: Int64)
  case reasoning(String)
  /// Something happened inside that is no call of a tool.
  case note(String)
  /// More of what an agent says.
  case text(String)
  /// What an agent said is complete.
  case message(isAnswer: Bool)
  case call(id: String, tool: String, arguments: String)
  case output(id: String, tool: String, text: String)
  /// An agent calls a function of the client.
  case clientCall(ClientMessage.Call)
  case ended(AnswerEnd)
}

/// How an answer ended, and what it cost.
struct AnswerEnd: Equatable, Sendable {
  enum Reason: Equatable, Sendable {
    case answered
    /// The turn waits for the client to perform calls.
    case waiting
    /// There was no room for more.
    case length
    case refused(String)
    case cancelled
    case failed(OpenAIError)
  }

  var reason: Reason
  var usage = RequestUsage()
  /// The agent that holds the baton.
  var holder = ""
}

extension RequestUsage {
  var ofChatCompletion: GeneratedContent {
    GeneratedContent(properties: [
      "prompt_tokens": tokensIn, "completion_tokens": tokensOut,
      "total_tokens": tokensIn + tokensOut, "prompt_tokens_details": inputDetails,
      "completion_tokens_details": outputDetails,
    ])
  }

  var ofResponse: GeneratedContent {
    GeneratedContent(properties: [
      "input_tokens": tokensIn, "input_tokens_details": inputDetails, "output_tokens": tokensOut,
      "output_tokens_details": outputDetails, "total_tokens": tokensIn + tokensOut,
    ])
  }

  private var inputDetails: GeneratedContent {
    GeneratedContent(properties: [
      "cached_tokens": tokensCached, "cache_write_tokens": tokensIn - tokensCached,
    ])
  }

  private var outputDetails: GeneratedContent {
    GeneratedContent(properties: ["reasoning_tokens": reasoningTokens ?? 0])
  }
}
