/// A model in a GGUF file of its own, for an agent or a profile that needs a different one.
///
/// By default, agents use the model with which `orchestrator` was started.
///
/// ```swift
/// Profile { Instructions("You write Swift.") }
///   .model(LlamaLanguageModel(file: "qwen2.5-coder-3b-instruct-q4_k_m.gguf"))
/// ```
///
/// The agent's own process opens the file once, however many sessions and profiles name it. The
/// file of an agent's initial profile is opened before its first turn, and any other at its first
/// request. A file that cannot be used causes an error before the first token. An agent declares
/// what it reads in `permissions`, using `.reading` and the file or its folder, and a person allows
/// it.
public struct LlamaLanguageModel: LanguageModel, Hashable {
  /// The file: a name beside the model with which `orchestrator` was started, or an absolute path.
  public let file: String

  /// The file that turns images into the model's input.
  ///
  /// If `nil`, a file beside the model with `mmproj` in its name is used, provided that it belongs
  /// to the model.
  public let projector: String?

  /// The window in tokens, or `nil` to let the model decide, up to a limit.
  public let contextSize: Int?

  /// How the model may be used.
  public let options: Options

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - file: A name beside the model with which `orchestrator` was started, or an absolute path.
  ///   - projector: The file that turns images into the model's input, specified in the same way.
  ///   - contextSize: The window in tokens. Its memory is allocated when the file is opened.
  ///   - options: How the model may be used.
  public init(
    file: String,
    projector: String? = nil,
    contextSize: Int? = nil,
    options: Options = []
  ) {
    self.file = file
    self.projector = projector
    self.contextSize = contextSize
    self.options = options
  }

  /// How a model may be used.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Tools are refused unless the model's chat template supports them.
    ///
    /// Without this option, a template that supports none is no obstacle: the instructions describe
    /// the tools, and a grammar enforces the form of a call. The model may not have been trained
    /// for that.
    ///
    /// ```swift
    /// .model(LlamaLanguageModel(file: "gemma-2-2b-it-q4_k_m.gguf", options: .nativeToolsOnly))
    /// ```
    public static let nativeToolsOnly = Options(rawValue: 1 << 0)
  }

  /// What the model can do.
  ///
  /// It is known once the file is open. Until then nothing is ruled out, and a request that the
  /// model cannot serve is refused after the file has been opened, before the first token.
  public var capabilities: LanguageModelCapabilities {
    ModelSupply.supplier?.openModel(for: self)?.capabilities
      ?? LanguageModelCapabilities([.guidedGeneration, .reasoning, .toolCalling, .vision])
  }

  /// The configuration of the executor, which equal models share.
  public var executorConfiguration: Executor.Configuration { .init(model: self) }

  /// An error that says why a model cannot be used.
  public enum Error: Swift.Error, Sendable {
    /// The file is missing or broken, or agents are not allowed to open it.
    case unusable(Unusable)

    /// The details of an unusable file.
    public struct Unusable: Sendable {
      /// The file, as named by the agent.
      public var file: String
      /// A description of the error for developers.
      public var debugDescription: String

      /// Creates the details of an error.
      public init(file: String, debugDescription: String) {
        self.file = file
        self.debugDescription = debugDescription
      }
    }
  }

  /// An executor that passes requests to the executor of the open model.
  public struct Executor: LanguageModelExecutor {
    /// The model to ask.
    public struct Configuration: Hashable, Sendable {
      let model: LlamaLanguageModel
    }

    private let executors = ExecutorCache()

    /// Creates an executor; the file is opened at the first request.
    public init(configuration: Configuration) throws {}

    /// Prepares the model if it is open.
    public func prewarm(model: LlamaLanguageModel, transcript: Transcript) {
      prewarm(model: model, transcript: transcript, contextOptions: ContextOptions())
    }

    /// Asks the model, opening it first if necessary.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: LlamaLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await executors.respond(to: request, model: model.supplied(), streamingInto: channel)
    }
  }
}

extension LlamaLanguageModel.Executor: ContextualExecutor {
  package func prewarm(
    model: LlamaLanguageModel,
    transcript: Transcript,
    contextOptions: ContextOptions
  ) {
    if let model = ModelSupply.supplier?.openModel(for: model) {
      executors.prewarm(model, transcript: transcript, contextOptions: contextOptions)
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
  /// A description of the error for developers.
  public var debugDescription: String {
    switch self {
    case .unusable(let facts): facts.debugDescription
    }
  }

  /// A description of the error.
  public var description: String { debugDescription }
}
