package import AgentKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A model behind a chat-completions server, as a session uses it.
package struct RemoteLanguageModel: LanguageModel {
  private let model: ChatCompletionsLanguageModel
  private let environment: [String: String]

  package init(
    _ model: ChatCompletionsLanguageModel,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.model = model
    self.environment = environment
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
      let endpoint = try Endpoint(model.model, environment: model.environment)
      let bound = request.generationOptions.maximumResponseTokens
      var form = RequestForm(
        bound: bound,
        hasOldBound: endpoint.takesOldBound && bound != nil,
        isStrict: request.schema?.strictSchema != nil,
        hasReasoning: request.transcript.contains(where: \.isReasoning)
      )
      while true {
        do {
          return try await ask(endpoint, request, model.model, form, channel)
        } catch let error as ChatCompletionsLanguageModel.APIError {
          // No part of an answer has arrived yet, and each form asks for less than the last.
          guard let next = form.without(refusedBy: error) else { throw error }
          form = next
        }
      }
    }

    private nonisolated(nonsending) func ask(
      _ endpoint: Endpoint,
      _ request: LanguageModelExecutorGenerationRequest,
      _ model: ChatCompletionsLanguageModel,
      _ form: RequestForm,
      _ channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let response = ServerResponse(
        endpoint: endpoint,
        body: ChatRequest(request, model: model, form: form).json,
        timeout: model.timeout
      )
      var reading = Reading(request, endpoint: endpoint, sentBound: form.bound)
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
    }
  }
}
