/// A model that can continue a transcript.
///
/// A model is a value that names what to run; the work is done by an executor, of which a session
/// makes one for each distinct configuration and keeps it as long as it lives.
public protocol LanguageModel: Sendable {
  /// What runs this model.
  associatedtype Executor: LanguageModelExecutor where Executor.Model == Self

  /// What the model can do. A request for anything else is refused before the model is asked.
  var capabilities: LanguageModelCapabilities { get }

  /// What an executor needs to know. Models with equal configurations share an executor.
  var executorConfiguration: Executor.Configuration { get }
}

/// What a model can do.
public struct LanguageModelCapabilities: Sendable {
  private let capabilities: Set<Capability>

  /// Makes a set of capabilities.
  public init(_ capabilities: [Capability]) {
    self.capabilities = Set(capabilities)
  }

  /// Whether a capability is among them.
  public func contains(_ capability: Capability) -> Bool {
    capabilities.contains(capability)
  }

  /// One thing that a model may be able to do.
  public struct Capability: Sendable, Hashable {
    package let name: String

    /// Understands images.
    public static var vision: Capability { .init(name: "vision") }
    /// Generates content that follows a schema.
    public static var guidedGeneration: Capability { .init(name: "guidedGeneration") }
    /// Thinks before it answers.
    public static var reasoning: Capability { .init(name: "reasoning") }
    /// Calls tools.
    public static var toolCalling: Capability { .init(name: "toolCalling") }
  }
}

/// Runs a model for one session.
public protocol LanguageModelExecutor: Sendable {
  /// What an executor is made from.
  associatedtype Configuration: Hashable, Sendable
  /// The model that it runs.
  associatedtype Model: LanguageModel

  /// Makes an executor. Costly work may be left to the first request.
  init(configuration: Configuration) throws

  /// Prepares for a request that begins with a transcript. Best effort; it may never be called.
  func prewarm(model: Model, transcript: Transcript)

  /// Generates one answer or one round of calls, and sends it in parts as it comes.
  ///
  /// An executor computes and changes nothing outside: the last outputs of the transcript may still be
  /// on their way to the journal when it is asked.
  ///
  /// Cancelling the task that called it ends it soon, with `CancellationError`.
  /// - Throws: `LanguageModelError` when the model cannot serve the request.
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest,
    model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  /// Does nothing: an executor that cannot prepare need not.
  public func prewarm(model: Model, transcript: Transcript) {}
}
