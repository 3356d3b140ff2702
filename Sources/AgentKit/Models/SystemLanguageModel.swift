import Synchronization

/// The local model that this process is configured with.
///
/// On Apple's platforms the name stands for the model that the system brings; here it stands for
/// the GGUF file that `orchestrator` was started with.
public final class SystemLanguageModel: LanguageModel {
  /// The configured model.
  public static let `default` = SystemLanguageModel()

  // One per process, set before any session exists.
  private static let configured = Mutex<(any LanguageModel)?>(nil)

  /// Names the configured model.
  public init() {}

  /// Says which model the name stands for in this process.
  package static func configure(_ model: any LanguageModel) {
    configured.withLock { $0 = model }
  }

  private static var model: (any LanguageModel)? { configured.withLock { $0 } }

  /// Whether a model is configured.
  public var isAvailable: Bool { Self.model != nil }

  /// What the configured model can do; nothing, when there is none.
  public var capabilities: LanguageModelCapabilities {
    Self.model?.capabilities ?? LanguageModelCapabilities([])
  }

  /// All names of the configured model share one executor.
  public var executorConfiguration: Executor.Configuration { .init() }

  /// Why the configured model cannot be used.
  public enum Error: Swift.Error, Sendable {
    /// No model is configured in this process.
    case assetsUnavailable(AssetsUnavailable)

    /// What is missing.
    public struct AssetsUnavailable: Sendable {
      /// What happened, for a developer.
      public var debugDescription: String
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
      guard let model = SystemLanguageModel.model else {
        throw Error.assetsUnavailable(
          .init(debugDescription: "No local model is configured in this process.")
        )
      }
      try await executors.respond(to: request, model: model, streamingInto: channel)
    }
  }
}
