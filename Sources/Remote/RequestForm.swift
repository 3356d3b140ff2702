import AgentKit

/// What not every server takes of a request: it is left out for one that refuses it.
struct RequestForm: Sendable, Equatable {
  /// Whether a bound on tokens is said under its old name as well.
  var hasOldBound = false
  /// Whether the server is told that several calls may be made at once.
  var asksForParallelCalls = true
  /// Whether it is told among how many tokens each one is chosen.
  var hasTopK = true
  /// Whether the server is to promise that an answer follows its schema.
  var isStrict = true

  /// The form without what a server refuses; `nil` where that is nothing of it.
  func without(refusedBy error: ChatCompletionsLanguageModel.APIError) -> RequestForm? {
    func isAbout(_ field: String) -> Bool {
      error.statusCode == 400 && (error.param == field || error.message.contains(field))
    }
    var form = self
    if hasOldBound, isAbout("max_tokens") {
      // What stands before OpenAI hands on what OpenAI refuses.
      form.hasOldBound = false
    } else if asksForParallelCalls, isAbout("parallel_tool_calls") {
      // OpenAI's models that think make one call at a time, and refuse to be told.
      form.asksForParallelCalls = false
    } else if hasTopK, isAbout("top_k") {
      // OpenAI knows no such field.
      form.hasTopK = false
    } else if isStrict, isAbout("response_format") {
      // It may know less of JSON Schema than the schema needs; the answer is checked in any case.
      form.isStrict = false
    } else {
      return nil
    }
    return form
  }
}
