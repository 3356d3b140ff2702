public import Observation
public import PlatformLibraries
import Synchronization

/// The local model with which this process is configured.
///
/// On Apple's platforms, it is the model of the system. Here it is the GGUF file with which
/// `orchestrator` was started; its capabilities, its window and its availability are those of that
/// model.
public final class SystemLanguageModel: LanguageModel, Observable {
  /// The configured model.
  public static let `default` = SystemLanguageModel()

  // There is one configured model per process, set before any session exists.
  private static let configured = Mutex<(any LanguageModel)?>(nil)

  /// Creates a reference to the configured model.
  ///
  /// The model is the same for every use, and has no guardrails beyond its training. Both
  /// parameters exist only so that code written for Apple's platforms compiles.
  public init(useCase: UseCase = .general, guardrails: Guardrails = .default) {}

  /// Sets the model with which this process is configured.
  package static func configure(_ model: (any LanguageModel)?) {
    configured.withLock { $0 = model }
  }

  static var model: (any LanguageModel)? { configured.withLock { $0 } }

  /// The configured model, if it runs in this process.
  static var localModel: (any LocalLanguageModel)? { model as? any LocalLanguageModel }

  /// The capabilities of the configured model; none if there is no model.
  public var capabilities: LanguageModelCapabilities {
    Self.model?.capabilities ?? LanguageModelCapabilities([])
  }

  /// The configuration of the executor, which all references to the configured model share.
  public var executorConfiguration: Executor.Configuration { .init() }

  /// A purpose for which a model is used.
  public struct UseCase: Sendable, Equatable {
    private let name: String

    /// General use.
    public static let general = UseCase(name: "general")
    /// Generating tags for content.
    public static let contentTagging = UseCase(name: "contentTagging")
  }

  /// The guardrails of a system model.
  public struct Guardrails: Sendable {
    /// The system's default guardrails.
    public static let `default` = Guardrails()
    /// Guardrails that allow sensitive content to be transformed.
    public static let permissiveContentTransformations = Guardrails()
  }

  /// An error that says why the configured model cannot be used.
  public enum Error: Swift.Error, Sendable {
    /// No model is configured in this process.
    case assetsUnavailable(AssetsUnavailable)

    /// The details of a missing model.
    public struct AssetsUnavailable: Sendable {
      /// A description of the error for developers.
      public var debugDescription: String

      /// Creates the details of an error.
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

  /// An executor that passes requests to the executor of the configured model.
  public struct Executor: LanguageModelExecutor {
    /// An empty configuration, because there is only one configured model.
    public struct Configuration: Hashable, Sendable {}

    private let executors = ExecutorCache()

    /// Creates an executor; the configured model's own executor is created at the first request.
    public init(configuration: Configuration) throws {}

    /// Prepares the configured model.
    public func prewarm(model: SystemLanguageModel, transcript: Transcript) {
      prewarm(model: model, transcript: transcript, contextOptions: ContextOptions())
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

extension SystemLanguageModel.Executor: ContextualExecutor {
  package func prewarm(
    model: SystemLanguageModel,
    transcript: Transcript,
    contextOptions: ContextOptions
  ) {
    if let model = SystemLanguageModel.model {
      executors.prewarm(model, transcript: transcript, contextOptions: contextOptions)
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
  /// A description of the error for developers.
  public var debugDescription: String {
    switch self {
    case .assetsUnavailable(let facts): facts.debugDescription
    }
  }

  /// A description of the error.
  public var errorDescription: String? { debugDescription }
}
