public import Observation
public import PlatformLibraries

/// The larger model that runs on another machine.
///
/// On Apple's platforms, it is the model in Apple's data centers. Here it is the model behind the
/// server named in the environment, which may be any server that speaks chat completions:
/// `ORCHESTRATOR_CHAT_URL` gives its address, `ORCHESTRATOR_CHAT_KEY` the key, and
/// `ORCHESTRATOR_CHAT_MODEL` the name of the model. For another server or several models, use
/// ``ChatCompletionsLanguageModel``. An agent declares `.network` in its `permissions`, and a
/// person allows it.
public final class PrivateCloudComputeLanguageModel: LanguageModel, Observable {
  /// The environment variable that holds the name of the model, as known to the server.
  ///
  /// Servers of a single model accept any name.
  public static let modelVariable = "ORCHESTRATOR_CHAT_MODEL"
  /// The model name that is requested if the variable is not set.
  package static let unnamedModel = "default"

  /// Creates a reference to the model.
  public init() {}

  /// All capabilities, because only the server knows what its model can really do.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.vision, .guidedGeneration, .toolCalling, .reasoning])
  }

  /// The configuration of the executor, which all references to the model share.
  public var executorConfiguration: Executor.Configuration { .init() }

  /// An executor that passes requests to the client of this process.
  public struct Executor: LanguageModelExecutor {
    /// An empty configuration, because the environment names only one server.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorCache()

    /// Creates an executor; it connects only when the first request is made.
    public init(configuration: Configuration) throws {}

    /// Asks the server.
    ///
    /// - Throws: ``PrivateCloudComputeLanguageModel/Error`` if there is no server or it cannot be
    ///   reached; otherwise whatever ``ChatCompletionsLanguageModel`` throws.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: PrivateCloudComputeLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let supplied = try await model.supplied()
      do {
        try await executors.respond(to: request, model: supplied, streamingInto: channel)
      } catch ChatCompletionsLanguageModel.RequestError.notConnected(let reason) {
        let words = "No connection to the server: \(reason)"
        throw Error.networkFailure(.init(debugDescription: words))
      }
    }
  }
}

extension PrivateCloudComputeLanguageModel: NamedLanguageModel {
  nonisolated(nonsending) package func supplied() async throws -> any LanguageModel {
    guard let supplier = ModelSupply.supplier, let server = supplier.serverOfEnvironment else {
      throw Error.noServer
    }
    return supplier.model(for: server)
  }
}

extension PrivateCloudComputeLanguageModel {
  /// An error that says why the model did not answer.
  public enum Error: Swift.Error, Sendable {
    /// The server cannot be reached.
    case networkFailure(NetworkFailure)
    /// The quota is used up; never the case here, where such a server causes a rate-limit error.
    case quotaLimitReached(QuotaLimitReached)
    /// The environment names no server.
    case serviceUnavailable(ServiceUnavailable)

    /// The details of a network failure.
    public struct NetworkFailure: Sendable {
      /// A description of the error for developers.
      public var debugDescription: String

      /// Creates the details of an error.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// The details of a reached limit.
    public struct QuotaLimitReached: Sendable {
      /// When requests are possible again, or `nil` if that is not known.
      public var resetDate: Date?
      /// A way to raise the limit; always `nil`, because servers here offer no page for that.
      public var limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion? { nil }
      /// A description of the error for developers.
      public var debugDescription: String

      /// Creates the details of an error.
      public init(resetDate: Date? = nil, debugDescription: String) {
        self.resetDate = resetDate
        self.debugDescription = debugDescription
      }
    }

    /// The details of a missing server.
    public struct ServiceUnavailable: Sendable {
      /// A description of the error for developers.
      public var debugDescription: String

      /// Creates the details of an error.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    static var noServer: Error {
      .serviceUnavailable(
        .init(
          debugDescription: "No server is set for PrivateCloudComputeLanguageModel. Set"
            + " \(ChatCompletionsLanguageModel.addressVariable) to the address of a"
            + " chat-completions server, and start orchestrator again."
        )
      )
    }
  }
}

extension PrivateCloudComputeLanguageModel.Error: CustomDebugStringConvertible, LocalizedError {
  /// A description of the error for developers.
  public var debugDescription: String {
    switch self {
    case .networkFailure(let facts): facts.debugDescription
    case .quotaLimitReached(let facts): facts.debugDescription
    case .serviceUnavailable(let facts): facts.debugDescription
    }
  }

  /// A description of the error.
  public var errorDescription: String? { debugDescription }
}
