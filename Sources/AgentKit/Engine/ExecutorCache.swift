import Synchronization

/// The executors of one session: one for each distinct configuration of each type of model.
struct ExecutorCache: Sendable {
  private struct Key: Hashable, Sendable {
    let type: ObjectIdentifier
    let configuration: any Hashable & Sendable

    static func == (left: Self, right: Self) -> Bool {
      left.type == right.type
        && AnyHashable(left.configuration) == AnyHashable(right.configuration)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(type)
      hasher.combine(AnyHashable(configuration))
    }
  }

  private final class Storage: Sendable {
    let executors = Mutex<[Key: any LanguageModelExecutor]>([:])
  }

  private let storage = Storage()

  nonisolated(nonsending) func respond<Model: LanguageModel>(
    to request: LanguageModelExecutorGenerationRequest,
    model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await executor(for: model).respond(to: request, model: model, streamingInto: channel)
  }

  func prewarm<Model: LanguageModel>(
    _ model: Model,
    transcript: Transcript,
    contextOptions: ContextOptions
  ) {
    // Prewarming is best effort by contract; a model that cannot be prepared reports it at its
    // first request.
    guard let executor = try? executor(for: model) else { return }
    if let contextual = executor as? any ContextualExecutor {
      contextual.prewarm(own: model, transcript, contextOptions)
    } else {
      executor.prewarm(model: model, transcript: transcript)
    }
  }

  private func executor<Model: LanguageModel>(for model: Model) throws -> Model.Executor {
    let configuration = model.executorConfiguration
    let key = Key(type: ObjectIdentifier(Model.self), configuration: configuration)
    return try storage.executors.withLock { executors in
      if let known = executors[key] as? Model.Executor { return known }
      let made = try Model.Executor(configuration: configuration)
      executors[key] = made
      return made
    }
  }
}

extension ContextualExecutor {
  /// Prepares for a request to a model of the type that this executor runs.
  fileprivate func prewarm(
    own model: any LanguageModel,
    _ transcript: Transcript,
    _ contextOptions: ContextOptions
  ) {
    guard let model = model as? Model else { return }
    prewarm(model: model, transcript: transcript, contextOptions: contextOptions)
  }
}
