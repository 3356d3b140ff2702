/// A model that can continue a transcript.
///
/// A model is a value that names what to run. An executor does the work; a session creates one for
/// each distinct configuration and keeps it for as long as the session exists.
public protocol LanguageModel: Sendable {
  /// The type that runs this model.
  associatedtype Executor: LanguageModelExecutor where Executor.Model == Self

  /// What the model can do; a request for anything else is refused before the model is asked.
  var capabilities: LanguageModelCapabilities { get }

  /// What an executor needs to know; models with equal configurations share an executor.
  var executorConfiguration: Executor.Configuration { get }
}

/// The capabilities of a model.
public struct LanguageModelCapabilities: Sendable {
  private let capabilities: Set<Capability>

  /// Creates a set of capabilities.
  public init(_ capabilities: [Capability]) {
    self.capabilities = Set(capabilities)
  }

  /// Returns whether the model has a capability.
  public func contains(_ capability: Capability) -> Bool {
    capabilities.contains(capability)
  }

  /// A capability that a model may have.
  public struct Capability: Sendable, Hashable {
    package let name: String

    /// The model understands images.
    public static var vision: Capability { .init(name: "vision") }
    /// The model generates content that follows a schema.
    public static var guidedGeneration: Capability { .init(name: "guidedGeneration") }
    /// The model reasons before it answers.
    public static var reasoning: Capability { .init(name: "reasoning") }
    /// The model calls tools.
    public static var toolCalling: Capability { .init(name: "toolCalling") }
  }
}

/// A type that runs a model for one session.
public protocol LanguageModelExecutor: Sendable {
  /// The type of the configuration from which an executor is created.
  associatedtype Configuration: Hashable, Sendable
  /// The type of the model that the executor runs.
  associatedtype Model: LanguageModel

  /// Creates an executor; costly work may be deferred to the first request.
  init(configuration: Configuration) throws

  /// Prepares for a request that begins with the given transcript.
  ///
  /// Preparation is best effort, and may never be requested.
  func prewarm(model: Model, transcript: Transcript)

  /// Generates one answer or one round of calls, and sends it in parts as it is produced.
  ///
  /// An executor only computes; it changes nothing else. The last outputs of the transcript may not
  /// yet have reached the journal when it is called.
  ///
  /// Cancelling the calling task ends generation soon, with `CancellationError`.
  ///
  /// - Throws: ``LanguageModelError`` if the model cannot serve the request.
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest,
    model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  /// Does nothing, which is the default for an executor that cannot prepare.
  public func prewarm(model: Model, transcript: Transcript) {}
}

/// An executor that prepares differently for different context options.
///
/// Some chat templates write the level of reasoning before the conversation, and then nothing of
/// what was prepared for one level is of use to another. FoundationModels tells an executor only
/// the transcript.
package protocol ContextualExecutor: LanguageModelExecutor {
  /// Prepares for a request with the given options that begins with the given transcript.
  func prewarm(model: Model, transcript: Transcript, contextOptions: ContextOptions)
}

extension ContextualExecutor {
  /// Prepares for a request with no options.
  package func prewarm(model: Model, transcript: Transcript) {
    prewarm(model: model, transcript: transcript, contextOptions: ContextOptions())
  }
}
