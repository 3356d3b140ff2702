public import Observation
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The local model that this process is configured with.
///
/// On Apple's platforms the name stands for the model that the system brings; here it stands for
/// the GGUF file that `orchestrator` was started with. What it can do, how much it can read and
/// whether it is there are that model's own answers.
public final class SystemLanguageModel: LanguageModel, Observable {
  /// The configured model.
  public static let `default` = SystemLanguageModel()

  // One per process, set before any session exists.
  private static let configured = Mutex<(any LanguageModel)?>(nil)

  /// Names the configured model.
  ///
  /// The model is the same for every use, and it has no guardrails but those that it was trained
  /// with: both parameters exist so that code written for Apple's platforms compiles.
  public init(useCase: UseCase = .general, guardrails: Guardrails = .default) {}

  /// Says which model the name stands for in this process.
  package static func configure(_ model: (any LanguageModel)?) {
    configured.withLock { $0 = model }
  }

  static var model: (any LanguageModel)? { configured.withLock { $0 } }

  /// The configured model, where it runs in this process.
  static var localModel: (any LocalLanguageModel)? { model as? any LocalLanguageModel }

  /// What the configured model can do; nothing, when there is none.
  public var capabilities: LanguageModelCapabilities {
    Self.model?.capabilities ?? LanguageModelCapabilities([])
  }

  /// All names of the configured model share one executor.
  public var executorConfiguration: Executor.Configuration { .init() }

  /// What a model is used for.
  public struct UseCase: Sendable, Equatable {
    private let name: String

    /// Anything.
    public static let general = UseCase(name: "general")
    /// Finding tags for content.
    public static let contentTagging = UseCase(name: "contentTagging")
  }

  /// What a system refuses to generate.
  public struct Guardrails: Sendable {
    /// The system's usual bounds.
    public static let `default` = Guardrails()
    /// Bounds that let sensitive content be transformed.
    public static let permissiveContentTransformations = Guardrails()
  }

  /// Why the configured model cannot be used.
  public enum Error: Swift.Error, Sendable {
    /// No model is configured in this process.
    case assetsUnavailable(AssetsUnavailable)

    /// What is missing.
    public struct AssetsUnavailable: Sendable {
      /// What happened, for a developer.
      public var debugDescription: String

      /// Makes the facts of an error.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    static var noModel: Error {
      .assetsUnavailable(
        .init(
          debugDescription: "No local model is configured in this process."
            + " Start orchestrator with --model and a GGUF file."
        )
      )
    }
  }

  /// Hands requests to the executor of the configured model.
  public struct Executor: LanguageModelExecutor {
    /// There is one configured model, so there is nothing to tell apart.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorCache()

    /// Makes an executor; the configured model's own is made at the first request.
    public init(configuration: Configuration) throws {}

    /// Prepares the configured model.
    public func prewarm(model: SystemLanguageModel, transcript: Transcript) {
      if let model = SystemLanguageModel.model {
        executors.prewarm(model, transcript: transcript)
      }
    }

    /// Asks the configured model.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: SystemLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await executors.respond(
        to: request,
        model: model.supplied(),
        streamingInto: channel
      )
    }
  }
}

extension SystemLanguageModel: NamedLanguageModel {
  nonisolated(nonsending) package func supplied() async throws -> any LanguageModel {
    guard let model = Self.model else { throw Error.noModel }
    return model
  }
}

extension SystemLanguageModel.Error: CustomDebugStringConvertible, LocalizedError {
  /// What happened, for a developer.
  public var debugDescription: String {
    switch self {
    case .assetsUnavailable(let facts): facts.debugDescription
    }
  }

  /// What happened.
  public var errorDescription: String? { debugDescription }
}
