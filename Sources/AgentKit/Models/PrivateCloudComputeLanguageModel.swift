public import Observation

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The larger model that runs on another machine.
///
/// On Apple's platforms the name stands for the model in Apple's data centres; here it stands for the
/// one behind the server of the environment, which may be any that speaks chat completions:
/// `ORCHESTRATOR_CHAT_URL` says where it is, `ORCHESTRATOR_CHAT_KEY` who asks, and
/// `ORCHESTRATOR_CHAT_MODEL` which of its models is meant. Who names another server, or several models,
/// uses ``ChatCompletionsLanguageModel``. An agent declares `.network` in its `permissions`, and a person
/// allows it.
public final class PrivateCloudComputeLanguageModel: LanguageModel, Observable {
  /// The variable that holds the name of the model, as the server knows it; servers of one model take
  /// any.
  public static let modelVariable = "ORCHESTRATOR_CHAT_MODEL"
  /// What a server is asked for where the variable is not set.
  package static let unnamedModel = "default"

  /// Names the model.
  public init() {}

  /// Everything; what the model behind the server really can do, only the server knows.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.vision, .guidedGeneration, .toolCalling, .reasoning])
  }

  /// All names of the model share one executor.
  public var executorConfiguration: Executor.Configuration { .init() }

  /// Hands requests to the client that this process has.
  public struct Executor: LanguageModelExecutor {
    /// There is one server in the environment, so there is nothing to tell apart.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorCache()

    /// Makes an executor; nothing is connected before the first request.
    public init(configuration: Configuration) throws {}

    /// Asks the server.
    /// - Throws: `PrivateCloudComputeLanguageModel.Error` where there is none, or no way to it; else what
    ///   asking ``ChatCompletionsLanguageModel`` throws.
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
  /// Why the model did not answer.
  public enum Error: Swift.Error, Sendable {
    /// There is no way to the server.
    case networkFailure(NetworkFailure)
    /// Too much was asked of it; never the case here: a server that says so is rate limited.
    case quotaLimitReached(QuotaLimitReached)
    /// No server is named in the environment.
    case serviceUnavailable(ServiceUnavailable)

    /// What is known of the failure.
    public struct NetworkFailure: Sendable {
      /// What happened, for a developer.
      public var debugDescription: String

      /// Makes the facts of an error.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What is known of the limit.
    public struct QuotaLimitReached: Sendable {
      /// When more may be asked; `nil` when that is not known.
      public var resetDate: Date?
      /// How a person may raise the limit; `nil`, because a server here has no page for that.
      public var limitIncreaseSuggestion: LimitIncreaseSuggestion? { nil }
      /// What happened, for a developer.
      public var debugDescription: String

      /// Makes the facts of an error.
      public init(resetDate: Date? = nil, debugDescription: String) {
        self.resetDate = resetDate
        self.debugDescription = debugDescription
      }
    }

    /// What is missing.
    public struct ServiceUnavailable: Sendable {
      /// What happened, for a developer.
      public var debugDescription: String

      /// Makes the facts of an error.
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
  /// What happened, for a developer.
  public var debugDescription: String {
    switch self {
    case .networkFailure(let facts): facts.debugDescription
    case .quotaLimitReached(let facts): facts.debugDescription
    case .serviceUnavailable(let facts): facts.debugDescription
    }
  }

  /// What happened.
  public var errorDescription: String? { debugDescription }
}
