import AgentKit

/// The parts of a request that not every server accepts, omitted for one that rejects them.
struct RequestForm: Sendable, Equatable {
  /// Whether a limit on tokens is sent under its old name as well.
  var hasOldBound = false
  /// Whether the server is told that several calls may be made at once.
  var asksForParallelCalls = true
  /// Whether the number of candidates for each token is sent.
  var hasTopK = true
  /// Whether the server must guarantee that an answer follows its schema.
  var isStrict = true

  /// Returns the form without what a server rejected; `nil` when the error concerns no part of it.
  func without(refusedBy error: ChatCompletionsLanguageModel.APIError) -> RequestForm? {
    func isAbout(_ field: String) -> Bool {
      error.statusCode == 400 && (error.param == field || error.message.contains(field))
    }
    var form = self
    if hasOldBound, isAbout("max_tokens") {
      // A gateway in front of OpenAI passes on OpenAI's rejection.
      form.hasOldBound = false
    } else if asksForParallelCalls, isAbout("parallel_tool_calls") {
      // OpenAI's reasoning models make one call at a time and reject the field.
      form.asksForParallelCalls = false
    } else if hasTopK, isAbout("top_k") {
      // OpenAI does not know this field.
      form.hasTopK = false
    } else if isStrict, isAbout("response_format") {
      // The server may support less of JSON Schema than needed; the answer is checked in any case.
      form.isStrict = false
    } else {
      return nil
    }
    return form
  }
}
