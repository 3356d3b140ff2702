package import AgentKit
import PlatformLibraries

/// A model behind a chat-completions server, as a session uses it.
package struct RemoteLanguageModel: LanguageModel {
  private let model: ChatCompletionsLanguageModel
  private let environment: [String: String]
  private let log: @Sendable (String) -> Void

  package init(
    _ model: ChatCompletionsLanguageModel,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.model = model
    self.environment = environment
    self.log = log
  }

  package var capabilities: LanguageModelCapabilities { model.capabilities }

  /// The same for all executors: every request carries the whole conversation.
  package var executorConfiguration: Executor.Configuration { .init() }

  package struct Executor: LanguageModelExecutor {
    package struct Configuration: Hashable, Sendable {}

    package init(configuration: Configuration) throws {}

    package nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: RemoteLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let asked = Asked(model.model, at: try Endpoint(model.model, environment: model.environment))
      let bound = request.generationOptions.maximumResponseTokens
      var form = RequestForm(
        bound: bound,
        hasOldBound: asked.endpoint.takesOldBound && bound != nil,
        skipsReasoning: request.skipsReasoning,
        isStrict: request.schema?.strictSchema != nil,
        hasReasoning: request.transcript.contains(where: \.isReasoning),
        opaqueFields: OpaqueFields.names(in: request.transcript, of: asked.origin)
      )
      var backoff = Backoff()
      while true {
        do {
          return try await ask(asked, request, form, channel, log: model.log)
        } catch let refusal as TemporaryRefusal {
          try await wait(for: asked, refusal, &backoff, log: model.log)
        } catch let error as ChatCompletionsLanguageModel.APIError {
          // No part of an answer has arrived yet, and each form asks for less than the last.
          guard let next = form.without(refusedBy: error) else { throw error }
          form = next
        }
      }
    }

    /// Waits until a request may be repeated that the server has refused for a while.
    ///
    /// Only in a turn, whose cap on seconds ends the wait, and where it is shown.
    /// - Throws: The refusal's own error if the request is not to be repeated.
    private nonisolated(nonsending) func wait(
      for asked: Asked,
      _ refusal: TemporaryRefusal,
      _ backoff: inout Backoff,
      log: @Sendable (String) -> Void
    ) async throws {
      guard let turn = OrchestrationContext.current else { throw refusal.error }
      // An address may be longer than a message to the coordinator has room for.
      let server = String(decoding: asked.endpoint.publicAddress.utf8.prefix(500), as: UTF8.self)
      let waited = backoff.waited / .seconds(1)
      guard
        let wait = backoff.next(
          after: refusal,
          timeLeft: turn.timeLeft,
          chance: .random(in: 0...1)
        )
      else { throw refusal.error(after: backoff, at: server) }
      let seconds = wait / .seconds(1)
      turn.note(
        ServerWait(server: server, reason: refusal.reason, seconds: seconds, waited: waited)
      )
      log("\(server): \(refusal.reason); asks again in \(seconds) s")
      try await Task.sleep(for: wait)
    }

    private nonisolated(nonsending) func ask(
      _ asked: Asked,
      _ request: LanguageModelExecutorGenerationRequest,
      _ form: RequestForm,
      _ channel: LanguageModelExecutorGenerationChannel,
      log: @Sendable (String) -> Void
    ) async throws {
      let response = ServerResponse(
        endpoint: asked.endpoint,
        body: ChatRequest(request, to: asked, form: form).json,
        timeout: asked.model.timeout,
        traceparent: OrchestrationContext.current?.traceparent
      )
      var reading = Reading(request, from: asked, sentBound: form.bound)
      do {
        do {
          for try await part in response.parts {
            for event in try reading.take(part) { await channel.send(event) }
            if reading.isDone { break }
            if reading.isAnswered { response.expectEnd() }
          }
        } catch  where reading.isAnswered {
          // A break after the answer does not invalidate it.
        }
        // A cancelled task stops reading without an error.
        try Task.checkCancellation()
        for event in try reading.finish(
          isCallRequired: request.generationOptions.toolCallingMode == .required
            && !request.enabledToolDefinitions.isEmpty
        ) {
          await channel.send(event)
        }
      } catch let refusal as TemporaryRefusal where reading.isBegun {
        // What a model has begun is not asked for again.
        throw refusal.error
      }
      if !reading.omitted.isEmpty {
        let fields = reading.omitted.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        log("\(asked.origin): fields left out: \(fields.joined(separator: ", "))")
      }
    }
  }
}

struct Asked {
  let model: ChatCompletionsLanguageModel
  let endpoint: Endpoint

  init(_ model: ChatCompletionsLanguageModel, at endpoint: Endpoint) {
    self.model = model
    self.endpoint = endpoint
  }

  /// The name of both, for what goes back only to where it came from.
  var origin: String { "\(model.name) at \(endpoint.publicAddress)" }
}
