/// A prompt that exceeds the window of a server's model, as reported by the server.
struct ContextOverflow {
  /// The size of the window in tokens; 0 if the server does not say.
  private(set) var contextSize = 0
  /// The length of the prompt in tokens; 0 if the server does not say.
  private(set) var promptTokens = 0

  /// Recognizes an overflow; `nil` for any other problem.
  init?(_ problem: ServerProblem) {
    let names = [problem.type, problem.code]
    if names.contains("exceed_context_size_error") || names.contains("context_length_exceeded") {
      (contextSize, promptTokens) = (problem.contextSize ?? 0, problem.promptTokens ?? 0)
      return
    }
    // vLLM has no code for it, and other servers use its wording.
    guard let place = problem.message.firstRange(of: "maximum context length") else { return nil }
    let numbers = problem.message[place.upperBound...].split { !$0.isASCII || !$0.isNumber }
      .compactMap { Int($0) }
    contextSize = numbers.first ?? 0
    promptTokens = numbers.dropFirst().first ?? 0
  }
}
