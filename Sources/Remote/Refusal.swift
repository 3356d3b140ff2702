import AgentKit
import PlatformLibraries

/// Converts what a server said instead of an answer to the error known to a session's caller.
struct Refusal {
  let endpoint: Endpoint
  /// Whether a limit on tokens of the answer was sent.
  let isBounded: Bool

  /// Returns the error for a response with an unsuccessful status.
  ///
  /// It is a `TemporaryRefusal` if the same request may be answered later.
  func error(_ head: ServerResponse.Head, body: [UInt8]) -> any Error {
    let problem = ServerProblem.found(in: body)
    let error = error(problem, status: head.status, retryAfter: head.retryAfter, body: body)
    guard !head.isFinal, var refusal = temporary(error, status: head.status, problem) else {
      return error
    }
    if head.retryAfter > 0 { refusal.retryAfter = .seconds(head.retryAfter) }
    return refusal
  }

  /// Returns the error that a server reports before or in the middle of its answer.
  ///
  /// It is a `TemporaryRefusal` if the problem has the status of one.
  func error(_ problem: ServerProblem) -> any Error {
    let error = error(problem, status: nil)
    guard let status = problem.code.flatMap({ Int($0) }) else { return error }
    return temporary(error, status: status, problem) ?? error
  }

  private func temporary(
    _ error: any Error,
    status: Int,
    _ problem: ServerProblem?
  ) -> TemporaryRefusal? {
    let message = problem.map { endpoint.withoutSecrets($0.message) }
    return TemporaryRefusal(error, status: status, problem, message: message)
  }

  private func error(
    _ problem: ServerProblem?,
    status: Int,
    retryAfter: Int64,
    body: [UInt8]
  ) -> any Error {
    if status == 429 { return limited(problem, retryAfter) }
    guard let problem else {
      let text = endpoint.withoutSecrets(String(decoding: body, as: UTF8.self))
      return ChatCompletionsLanguageModel.RequestError.httpError(
        statusCode: status,
        data: Data(text.utf8.prefix(4096))
      )
    }
    return error(problem, status: status)
  }

  private func error(_ problem: ServerProblem, status: Int?) -> any Error {
    let message = endpoint.withoutSecrets(problem.message)
    if let overflow = ContextOverflow(problem, isBounded: isBounded) {
      return LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: overflow.contextSize,
          tokenCount: overflow.tokenCount,
          debugDescription: "\(endpoint.publicAddress): \(message)"
        )
      )
    }
    return ChatCompletionsLanguageModel.APIError(
      statusCode: status,
      message: message,
      type: problem.type.map(endpoint.withoutSecrets),
      param: problem.param.map(endpoint.withoutSecrets),
      code: problem.code.map(endpoint.withoutSecrets)
    )
  }

  /// Returns the error for a model that refuses to answer.
  func error(ofModel reason: String) -> any Error {
    let reason = endpoint.withoutSecrets(reason)
    return LanguageModelError.refusal(
      .init(
        explanation: reason,
        debugDescription: "\(endpoint.publicAddress): the model refuses to answer: \(reason)"
      )
    )
  }

  private func limited(_ problem: ServerProblem?, _ retryAfter: Int64) -> any Error {
    let message = endpoint.withoutSecrets(problem?.message ?? "too many requests")
    let wait = retryAfter > 0 ? " Try again in \(retryAfter) s." : ""
    return LanguageModelError.rateLimited(
      .init(
        resetDate: retryAfter > 0 ? Date(timeIntervalSinceNow: Double(retryAfter)) : nil,
        debugDescription:
          "\(endpoint.publicAddress) has had too many requests: \(message.withFullStop)\(wait)"
      )
    )
  }
}
