/// A model in a GGUF file of its own, for an agent or a profile that wants another one than the
/// model which `orchestrator` was started with.
///
/// ```swift
/// Profile { Instructions("You write Swift.") }
///   .model(LlamaLanguageModel(file: "qwen2.5-coder-3b-instruct-q4_k_m.gguf"))
/// ```
///
/// The agent's own process opens the file, once, whatever number of sessions and profiles name it.
/// The file of the profile that an agent begins with is opened before its first turn; any other at
/// its first request. A file that cannot be used is an error before the first token. What an agent
/// reads it declares in `permissions`, with `.reading` and the file or its folder, and a person allows
/// it.
public struct LlamaLanguageModel: LanguageModel, Hashable {
  /// The file: a name beside the model that `orchestrator` was started with, or an absolute path.
  public let file: String

  /// The file that turns images into what the model reads; `nil` takes one that lies beside the model
  /// and has `mmproj` in its name, if it is the model's.
  public let projector: String?

  /// The window in tokens; `nil` leaves it to the model, up to a bound.
  public let contextSize: Int?

  /// Names a model.
  /// - Parameters:
  ///   - file: A name beside the model that `orchestrator` was started with, or an absolute path.
  ///   - projector: The file that turns images into what the model reads, in the same way.
  ///   - contextSize: The window in tokens. Its memory is taken when the file is opened.
  public init(file: String, projector: String? = nil, contextSize: Int? = nil) {
    self.file = file
    self.projector = projector
    self.contextSize = contextSize
  }

  /// What the model can do.
  ///
  /// It is known once the file is open. Until then nothing is ruled out: a request for what the
  /// model cannot do is refused when it has been opened, before the first token.
  public var capabilities: LanguageModelCapabilities {
    ModelSupply.supplier?.openModel(for: self)?.capabilities
      ?? LanguageModelCapabilities([.guidedGeneration, .reasoning, .toolCalling, .vision])
  }

  /// Equal names share an executor.
  public var executorConfiguration: Executor.Configuration { .init(model: self) }

  /// Why a model cannot be used.
  public enum Error: Swift.Error, Sendable {
    /// The file is missing or broken, or agents may not open it.
    case unusable(Unusable)

    /// What is wrong with a file.
    public struct Unusable: Sendable {
      /// The file as the agent named it.
      public var file: String
      /// What happened, for a developer.
      public var debugDescription: String

      /// Makes the facts of an error.
      public init(file: String, debugDescription: String) {
        self.file = file
        self.debugDescription = debugDescription
      }
    }
  }

  /// Hands requests to the executor of the opened model.
  public struct Executor: LanguageModelExecutor {
    /// Which model is asked.
    public struct Configuration: Hashable, Sendable {
      let model: LlamaLanguageModel
    }

    private let executors = ExecutorCache()

    /// Makes an executor; the file is opened at the first request.
    public init(configuration: Configuration) throws {}

    /// Prepares the model if it is open.
    public func prewarm(model: LlamaLanguageModel, transcript: Transcript) {
      if let model = ModelSupply.supplier?.openModel(for: model) {
        executors.prewarm(model, transcript: transcript)
      }
    }

    /// Asks the model, and opens it first where that has not been done.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: LlamaLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await executors.respond(to: request, model: model.supplied(), streamingInto: channel)
    }
  }
}

extension LlamaLanguageModel: NamedLanguageModel {
  nonisolated(nonsending) package func supplied() async throws -> any LanguageModel {
    guard let supplier = ModelSupply.supplier else {
      throw Error.unusable(
        .init(
          file: file,
          debugDescription: "This process cannot open models: '\(file)' can only be used by an"
            + " agent that orchestrator runs."
        )
      )
    }
    return try await supplier.model(for: self)
  }
}

extension LlamaLanguageModel.Error: CustomDebugStringConvertible, CustomStringConvertible {
  /// What happened, for a developer.
  public var debugDescription: String {
    switch self {
    case .unusable(let facts): facts.debugDescription
    }
  }

  /// What happened.
  public var description: String { debugDescription }
}
