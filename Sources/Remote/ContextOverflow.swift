/// A prompt that is longer than a server's model can read, as far as the server says so.
struct ContextOverflow {
  /// In tokens; 0 where the server does not say.
  private(set) var contextSize = 0
  /// In tokens; 0 where the server does not say.
  private(set) var promptTokens = 0

  /// - Returns: `nil` when the problem is another.
  init?(_ problem: ServerProblem) {
    let names = [problem.type, problem.code]
    if names.contains("exceed_context_size_error") || names.contains("context_length_exceeded") {
      (contextSize, promptTokens) = (problem.contextSize ?? 0, problem.promptTokens ?? 0)
      return
    }
    // vLLM has no name for it, and others have its words.
    guard let place = problem.message.firstRange(of: "maximum context length") else { return nil }
    let numbers = problem.message[place.upperBound...].split { !$0.isASCII || !$0.isNumber }
      .compactMap { Int($0) }
    contextSize = numbers.first ?? 0
    promptTokens = numbers.dropFirst().first ?? 0
  }
}
