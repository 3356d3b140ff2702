import AgentKit
import CLlama
import Dispatch
import Synchronization

/// A model and its context, served by a dedicated thread.
///
/// The engine is created and its model loaded without any thread; the first request starts one. So
/// a process with an engine can still be forked until the engine is asked something.
package final class LlamaEngine: @unchecked Sendable {
  // Unchecked because the context is not Sendable: it is only used on `queue`, and before that by
  // the one thread that prepares it.
  private(set) var generation: Generation
  // Created at the first request: a queue used before a fork would not work in the child.
  private let queue = Mutex<DispatchQueue?>(nil)
  private let cores = Mutex<(any CoreSharing)?>(nil)
  private let warming = Mutex<Warming?>(nil)
  private let counts = Mutex(TextCounts())

  package let contextSize: Int
  package let facts: LlamaModelFacts
  /// Whether the model's chat template supports tools; otherwise the instructions describe them.
  package let carriesTools: Bool
  /// Whether the model's chat template lets it think.
  let thinks: Bool
  /// Why the model takes no images; `nil` when it does.
  package let visionUnavailable: VisionUnavailable?

  /// The most tokens of an image whose parts all attend to each other and are computed at once.
  private static let imageBatchSize = 2048
  /// How many profiles of an agent, or states of its history, are kept side by side.
  private static let residentCount = 4

  /// Loads a model and creates its context.
  ///
  /// - Parameters:
  ///   - contextSize: The window in tokens; `nil` for the model's own, up to a limit.
  ///   - projector: What turns images into embeddings. A projector that was merely found and does
  ///     not fit leaves the model without images; one that was named must fit.
  ///   - isForked: Whether the model is for forks of this process.
  ///   - memory: The bytes of memory for all workers; `nil` for the machine's.
  /// - Throws: `LlamaModelError` about the file, `LlamaError` about what is made of it.
  package init(
    modelAt path: String,
    contextSize: Int?,
    projector file: ProjectorFile? = nil,
    isForked: Bool = false,
    memory: Int64? = nil
  ) throws {
    var loading = LlamaModel.Options()
    loading.isMapped = !isForked
    loading.memory = memory
    let model = try LlamaModel(path: path, options: loading)
    var options = LlamaContext.Options()
    options.contextSize =
      contextSize ?? min(DefaultWindow.tokens, model.facts.trainedContextSize)
    options.sequenceCount = Self.residentCount
    let (projector, visionUnavailable) = try VisionUnavailable.test(file, model)
    self.visionUnavailable = visionUnavailable
    if projector?.seesAllAtOnce == true { options.batchSize = Self.imageBatchSize }
    let context = try LlamaContext(model: model, options: options, projector: projector)
    self.contextSize = context.contextSize
    facts = context.model.facts
    carriesTools = try context.model.templates.toolSyntax().carriesTools
    thinks = try context.model.templates.supportsThinking()
    generation = Generation(context: context)
  }

  /// Returns the number of tokens in a text by itself.
  package func tokenCount(of text: String) -> Int {
    if let known = counts.withLock({ $0[text] }) { return known }
    let count = generation.context.model.tokenCount(of: text)
    counts.withLock { $0.keep(count, of: text) }
    return count
  }

  /// Keeps prefixes for other processes; must be called before the first request.
  package func keepPrefixes(in snapshots: SnapshotStore) {
    generation.snapshots = snapshots
  }

  /// Makes every request from now on wait for a core before it computes, and use as many as it
  /// gets.
  package func shareCores(through sharing: any CoreSharing) {
    cores.withLock { $0 = sharing }
  }

  /// Answers a request.
  ///
  /// Cancelling the task ends the request soon, with a result that says so.
  func generate(
    _ request: GenerationRequest,
    onUpdate: @escaping @Sendable (GeneratedMessage) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) async throws -> GenerationResult {
    defer {
      onEnd()
      trimHeap()
    }
    warm(nil)
    let cores = cores.withLock { $0 }
    let start = ContinuousClock.now
    return try await compute(cancel: CancelFlag()) { generation, cancel throws(LlamaError) in
      let waited = (ContinuousClock.now - start) / .seconds(1)
      var hasSpoken = false
      var result = try generation.run(request, cancel: cancel) { message in
        onUpdate(message)
        if !hasSpoken { cores?.letWordsThrough() }
        hasSpoken = true
      }
      result.usage.secondsWaited = waited
      return result
    }
  }

  var currentWarming: Warming? { warming.withLock { $0 } }

  /// Stops the current computation ahead of need and replaces it by another or none.
  func warm(_ next: Warming?) {
    let former = warming.withLock { warming in
      defer { warming = next }
      return warming
    }
    former?.stop()
  }

  /// Computes on the engine's thread and on a core granted to this process.
  ///
  /// Cancelling the task ends the work soon, or before it has begun.
  func compute<Result: Sendable>(
    cancel: CancelFlag,
    _ work: @escaping @Sendable (Generation, CancelFlag) throws(LlamaError) -> Result
  ) async throws -> Result {
    let cores = cores.withLock { $0 }
    try await cores?.acquire()
    defer { cores?.release() }
    return try await withTaskCancellationHandler {
      try await perform { [self] generation throws(LlamaError) in
        cores?.prepareThread()
        takeCoreCount(from: cores.map { cores in { cores.count } })
        // Its queue has a thread now, so this process will not be forked.
        generation.context.keepsThreads = true
        return try work(generation, cancel)
      }
    } onCancel: {
      cancel.set()
    }
  }
}

extension LlamaEngine {
  /// Runs work on the engine's thread, after whatever is under way there.
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

  /// Returns freed memory to the system once there is nothing else to do.
  ///
  /// Matching a grammar against a whole vocabulary takes tens of megabytes for a moment, which the
  /// C library would keep.
  private func trimHeap() {
    startedQueue.async { cllama_trim_heap() }
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
  /// The corresponding error of AgentKit, where there is one.
  fileprivate var asLanguageModelError: any Error {
    switch self {
    case .contextSizeExceeded(let contextSize, let tokenCount):
      LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: contextSize,
          tokenCount: tokenCount,
          debugDescription: "The context of \(tokenCount) tokens does not fit into the model's"
            + " window of \(contextSize). Start another session, enlarge the window with --context,"
            + " or give the agent a rollingWindow."
        )
      )
    case .promptTooLarge(let contextSize, let tokenCount):
      LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: contextSize,
          tokenCount: tokenCount,
          debugDescription: "The context of \(tokenCount) tokens does not fit into the model's"
            + " window of \(contextSize), even without any earlier history. Shorten the prompt, the"
            + " instructions or what tools return, or enlarge the window with --context."
        )
      )
    case .windowFilled(let contextSize, let promptCount):
      LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: contextSize,
          tokenCount: contextSize + 1,
          debugDescription: "The model was given \(promptCount.counted("token")) and wrote to the"
            + " end of its window of \(contextSize) without finishing. Limit what it writes with"
            + " maximumResponseTokens, or enlarge the window with --context."
        )
      )
    case .templateCannotCarryTools:
      LanguageModelError.unsupportedCapability(
        .init(
          capability: .toolCalling,
          debugDescription: "The model's chat template does not support tools."
        )
      )
    case .unknownReasoningLevel(let level):
      LanguageModelError.unsupportedCapability(
        .init(
          capability: .reasoning,
          debugDescription: "The model's chat template has no reasoning level '\(level)'."
        )
      )
    case .imageRefused(let reason):
      LanguageModelError.unsupportedTranscriptContent(
        .init(
          unsupportedContent: [],
          debugDescription: "An image cannot be shown to the model: \(reason)."
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
