import AgentKit
import Dispatch
import Synchronization

/// A model and its context, served by a thread of their own.
///
/// The engine is made and its model loaded without any thread; the first request starts it. So a
/// process that has an engine can still be forked until it is asked something.
package final class LlamaEngine: @unchecked Sendable {
  // Unchecked because the context is not Sendable: it is only used on `queue`, and before that by
  // the one thread that prepares it.
  private(set) var generation: Generation
  // Made at the first request: a queue that was used before a fork would not serve the child.
  private let queue = Mutex<DispatchQueue?>(nil)
  private let cores = Mutex<(any CoreSharing)?>(nil)

  package let contextSize: Int
  package let facts: LlamaModelFacts
  let carriesTools: Bool
  /// Whether the model's chat template lets it think.
  let thinks: Bool

  /// The window where nobody asks for another: enough for a long conversation, and bounded because
  /// its memory is taken at once.
  private static let defaultContextSize = 8192
  /// How many profiles of an agent, or states of its history, are kept side by side.
  private static let residentCount = 4

  /// Loads a model and makes its context.
  /// - Parameters:
  ///   - contextSize: The window in tokens; `nil` for the model's own, up to a bound.
  ///   - isForked: Whether the model is for forks of this process.
  /// - Throws: `LlamaModelError` about the file, `LlamaError` about what is made of it.
  package init(modelAt path: String, contextSize: Int?, isForked: Bool = false) throws {
    var loading = LlamaModel.Options()
    loading.isMapped = !isForked
    let model = try LlamaModel(path: path, options: loading)
    var options = LlamaContext.Options()
    options.contextSize =
      contextSize ?? min(Self.defaultContextSize, model.facts.trainedContextSize)
    options.sequenceCount = Self.residentCount
    let context = try LlamaContext(model: model, options: options)
    self.contextSize = context.contextSize
    facts = context.model.facts
    carriesTools = try context.model.templates.toolSyntax().carriesTools
    thinks = try context.model.templates.supportsThinking()
    generation = Generation(context: context)
  }

  /// Keeps prefixes for other processes; to be called before the first request.
  package func keepPrefixes(in snapshots: SnapshotStore) {
    generation.snapshots = snapshots
  }

  /// Has every request from now on wait for a core before it computes, and compute on as many as it
  /// gets.
  package func shareCores(through sharing: any CoreSharing) {
    cores.withLock { $0 = sharing }
  }

  /// Answers a request.
  ///
  /// Cancelling the task ends it soon, with a result that says so.
  func generate(
    _ request: GenerationRequest,
    onUpdate: @escaping @Sendable (GeneratedMessage) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) async throws -> GenerationResult {
    let cancel = CancelFlag()
    let cores = cores.withLock { $0 }
    do {
      try await cores?.acquire()
    } catch {
      onEnd()
      throw error
    }
    defer { cores?.release() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        startedQueue.async { [self] in
          defer { onEnd() }
          compute(on: cores.map { cores in { cores.count } })
          do throws(LlamaError) {
            let result = try generation.run(request, cancel: cancel, onUpdate: onUpdate)
            continuation.resume(returning: result)
          } catch {
            continuation.resume(throwing: error.asLanguageModelError)
          }
        }
      }
    } onCancel: {
      cancel.set()
    }
  }
}

extension LlamaEngine {
  /// Does something on the engine's thread, after what is under way there.
  func perform<Result: Sendable>(
    _ work: @escaping @Sendable (Generation) throws(LlamaError) -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      startedQueue.async { [self] in
        do throws(LlamaError) {
          continuation.resume(returning: try work(generation))
        } catch {
          continuation.resume(throwing: error.asLanguageModelError)
        }
      }
    }
  }

  private var startedQueue: DispatchQueue {
    queue.withLock { queue in
      let started = queue ?? DispatchQueue(label: "llama")
      queue = started
      return started
    }
  }
}

extension LlamaError {
  /// The error as AgentKit's users know it, where there is such a one.
  fileprivate var asLanguageModelError: any Error {
    switch self {
    case .contextSizeExceeded(let contextSize, let tokenCount):
      LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: contextSize,
          tokenCount: tokenCount,
          debugDescription: "The context of \(tokenCount) tokens does not fit into the model's"
            + " window of \(contextSize). Begin another session, enlarge the window with"
            + " --context, or give the agent a rollingWindow."
        )
      )
    case .templateCannotCarryTools:
      LanguageModelError.unsupportedCapability(
        .init(
          capability: .toolCalling,
          debugDescription: "The model's chat template cannot carry tools."
        )
      )
    case .unknownThinking(let level):
      LanguageModelError.unsupportedCapability(
        .init(
          capability: .reasoning,
          debugDescription: "The model's chat template knows no reasoning level '\(level)'."
        )
      )
    case .requiredCallWithoutTools:
      LanguageModelError.unsupportedGenerationGuide(
        .init(debugDescription: "Tool calls are required, but there are no tools.")
      )
    case .cancelled: CancellationError()
    case .contextRefused, .unknownSequence, .emptyPrompt, .decodeFailed, .stateRefused,
      .templateRefused, .renderingFailed, .samplingFailed, .unparseableOutput,
      .requiredCallMissing:
      self
    }
  }
}
