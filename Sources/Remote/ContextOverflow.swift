/// A prompt that exceeds the window of a server's model, as reported by the server.
struct ContextOverflow {
  /// The size of the window in tokens; 0 if the server does not say.
  let contextSize: Int
  /// The number of tokens that do not fit into it; 0 if the server does not say.
  let tokenCount: Int

  /// Recognizes an overflow; `nil` for any other problem.
  ///
  /// - Parameter isBounded: Whether a limit on the answer was sent, for which a server may refuse a
  ///   prompt that fits.
  init?(_ problem: ServerProblem, isBounded: Bool) {
    let names = [problem.type, problem.code]
    let isNamed =
      names.contains("exceed_context_size_error") || names.contains("context_length_exceeded")
    let sizes = StatedSizes(problem.message)
    // vLLM has no code for it, and other servers use its wording.
    guard isNamed || sizes.isOfWindow else { return nil }
    // Words alone, without the length of the prompt, may mean either; a request without a limit
    // then tells.
    let fits = sizes.isPromptFitting ?? !isNamed
    if isBounded, fits { return nil }
    contextSize = problem.contextSize ?? sizes.window ?? 0
    tokenCount = problem.promptTokens ?? sizes.excess ?? 0
  }
}
