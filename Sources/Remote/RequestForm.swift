import AgentKit

/// The parts of a request that not every server accepts, omitted for one that rejects them.
struct RequestForm: Sendable, Equatable {
  /// The limit on tokens of the answer; `nil` if none is sent.
  var bound: Int?
  /// Whether the limit was lowered to what the server has room for, or left out.
  var isBoundLowered = false
  /// Whether a limit on tokens is sent under its old name as well.
  var hasOldBound = false
  /// Whether the server is asked for an answer without reasoning.
  var skipsReasoning = false
  /// Whether the server is asked for the cost of the request.
  var asksForUsage = true
  /// Whether the server is told that several calls may be made at once.
  var asksForParallelCalls = true
  /// Whether the number of candidates for each token is sent.
  var hasTopK = true
  /// Whether the server must guarantee that an answer follows its schema.
  var isStrict = true
  /// Whether the server is sent the reasoning that led to earlier answers.
  var hasReasoning = true
  /// The fields that go back to the server because it sent them with earlier answers.
  var opaqueFields: Set<String> = []

  /// Returns the form without what a server rejected; `nil` when the error concerns no part of it.
  func without(refusedBy error: ChatCompletionsLanguageModel.APIError) -> RequestForm? {
    // Servers that check each field reject a request with the second status.
    let isRejection = error.statusCode == 400 || error.statusCode == 422
    func isAbout(_ field: String) -> Bool {
      isRejection && (error.param == field || error.message.contains(field))
    }
    let isAboutBound = isAbout("max_tokens") || isAbout("max_completion_tokens")
    let sizes = StatedSizes(error.message)
    var form = self
    let isTooHigh = sizes.isOfWindow || (isAboutBound && sizes.room != nil)
    if bound != nil, error.statusCode == 400, isTooHigh {
      // vLLM refuses a limit that does not fit into the window behind the prompt, others one that
      // is too high for the model.
      form.lower(to: sizes.room)
    } else if hasOldBound, isAbout("max_tokens") {
      // A gateway in front of OpenAI passes on OpenAI's rejection.
      form.hasOldBound = false
    } else if bound != nil, isAboutBound, !error.message.contains("limit was reached") {
      // OpenAI also mentions it when a model has thought up to the limit, which rejects nothing.
      form.lower(to: nil)
    } else if asksForParallelCalls, isAbout("parallel_tool_calls") {
      // OpenAI's reasoning models make one call at a time and reject the field.
      form.asksForParallelCalls = false
    } else if hasTopK, isAbout("top_k") {
      // OpenAI does not know this field.
      form.hasTopK = false
    } else if isStrict, isAbout("response_format") {
      // The server may support less of JSON Schema than needed; the answer is checked in any case.
      form.isStrict = false
    } else if asksForUsage, isAbout("stream_options") {
      // Mistral reports the cost without being asked.
      form.asksForUsage = false
    } else if skipsReasoning, isAbout("reasoning_effort") {
      // The model cannot reason, or cannot do without.
      form.skipsReasoning = false
    } else if hasReasoning, isAbout("reasoning_content") {
      // Groq, Cerebras and Mistral reject messages with fields of other servers.
      form.hasReasoning = false
    } else if let field = opaqueFields.first(where: isAbout) {
      // The server does not take what it sends.
      form.opaqueFields.remove(field)
    } else {
      return nil
    }
    return form
  }

  /// Lowers the limit to the room that a server has, or omits it where that is not known.
  private mutating func lower(to room: Int?) {
    // vLLM counts a long prompt only up to the first token that does not fit. By that count there
    // is always room for one token less, which says nothing.
    let isKnown = room.map { $0 > 0 && $0 < (bound ?? 0) - 1 } ?? false
    // Only once, because a server whose figures were wrong is not asked forever.
    bound = isKnown && !isBoundLowered ? room : nil
    isBoundLowered = true
    if bound == nil { hasOldBound = false }
  }
}
