import Coordination
import FlyingFox

/// Answers prompts with the events of their turns, one per line.
struct PromptResponder: Sendable {
  /// How often a quiet stream shows that it is alive.
  private static let tick = Duration.seconds(1)

  let conversations: Conversations
  let caps: Caps
  /// Whether a person is present who can be asked, for prompts that do not say.
  let isAttended: Bool
  let answers = OpenAnswers()

  /// Returns the head and the lines of an answer.
  ///
  /// The head waits for the first line, so that it can report an immediate refusal; a prompt that
  /// waits for others gets its head with the first tick.
  /// - Throws: The reason why the prompt is not accepted.
  func response(to prompt: PromptRequest) async throws -> HTTPResponse {
    let valve = TextValve()
    let stream = lines(answering: prompt, valve)
    var iterator = stream.makeAsyncIterator()
    let first = try await iterator.next(isolation: #isolation)
    let lines = LineSequence(first: first, others: stream, valve: valve, answer: answers.begin())
    return HTTPResponse(
      statusCode: .ok,
      headers: [.contentType: "application/x-ndjson"],
      body: HTTPBodySequence(from: lines)
    )
  }

  /// Returns the events of a turn as lines, followed by any error that ended it.
  ///
  /// When nobody reads them any more, the turn is cancelled.
  private func lines(
    answering request: PromptRequest,
    _ valve: TextValve
  ) -> AsyncThrowingStream<PromptLine, any Error> {
    let (lines, continuation) = AsyncThrowingStream<PromptLine, any Error>.makeStream()
    // Ends with the stream, whichever side ends that.
    let task = Task {
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            let conversation = try await conversations.conversation(
              named: request.session,
              begunBy: request.agent
            )
            _ = try await conversation.respond(
              to: request.prompt,
              begunBy: request.agent,
              images: request.images ?? [],
              caps: request.caps?.over(caps) ?? caps,
              isAttended: request.isAttended ?? isAttended
            ) { if valve.admits($0) { continuation.yield(.event($0)) } }
          }
          group.addTask {
            while (try? await Task.sleep(for: Self.tick)) != nil { continuation.yield(.tick) }
          }
          defer { group.cancelAll() }
          try await group.next()
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return lines
  }
}
