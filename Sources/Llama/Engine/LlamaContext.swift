import Libllama

/// The memory of a model: the tokens that it has read, in one or more sequences.
package final class LlamaContext {
  package struct Options: Sendable {
    /// The number of tokens that the context holds; zero for the model's own size.
    package var contextSize = 4096
    /// The number of tokens that can be computed at a time: an image may have to be computed all at
    /// once.
    package var batchSize = LlamaContext.stepSize
    /// How many sequences may be resident side by side.
    package var sequenceCount = 1
    /// Lets any sequence use the whole context; otherwise each has an equal share.
    package var sharesCells = true

    package init() {}
  }

  /// The number of text tokens computed at a time: few, because the number of threads changes only
  /// between steps, and cancellation discards the current one.
  static let stepSize = 128

  package let model: LlamaModel
  /// What the model sees with; `nil` when it does not see.
  package let projector: Projector?
  /// The number of tokens that one sequence can hold.
  package let contextSize: Int
  package let sequenceCount: Int

  /// Identifies the model and everything else that determines what its memory looks like, except
  /// for this executable.
  package let identity: String

  /// The number of cores this may compute on, read before every step.
  var coreCount: (() -> Int)?

  let pointer: OpaquePointer
  let batch: llama_batch
  let batchSize: Int
  let computeBuffer = ComputeBuffer()
  var pace = ThreadPace()
  /// Whether threads stay from step to step: never in a process that is to be forked.
  var keepsThreads = false
  /// The persistent threads, by their number.
  var threads: [Int: StepThreads] = [:]
  /// How many of them compute now; `nil` where each step has its own.
  var serving: Int?
  /// Whether the next prefix that is computed here is kept for other processes.
  ///
  /// Only the first one is, and none in a fork, whose template has had it: others begin with that
  /// one too. Instructions that change with every request would be written out each time, before
  /// the first token, and push out what others restore.
  var keepsNextPrefix = true
  private var cachedSequences: [CachedSequence]
  private var uses = 0

  package init(
    model: LlamaModel,
    options: Options = Options(),
    projector: Projector? = nil
  ) throws(LlamaError) {
    let logged = Runtime.log.count
    var parameters = llama_context_default_params()
    parameters.n_ctx = UInt32(clamping: options.contextSize)
    parameters.n_batch = UInt32(clamping: max(1, options.batchSize))
    parameters.n_ubatch = parameters.n_batch
    parameters.n_seq_max = UInt32(clamping: max(1, options.sequenceCount))
    parameters.n_threads = 1
    parameters.n_threads_batch = 1
    parameters.kv_unified = options.sharesCells
    computeBuffer.watch(&parameters)
    // Flash attention keeps llama.cpp's default. Without it values lie by channel, and a fork that
    // writes one token copies a page for each channel.
    guard let pointer = llama_init_from_model(model.pointer, parameters) else {
      throw .contextRefused(contextSize: options.contextSize, log: Runtime.log.lines(after: logged))
    }
    self.model = model
    self.projector = projector
    self.pointer = pointer
    contextSize = Int(llama_n_ctx_seq(pointer))
    sequenceCount = Int(llama_n_seq_max(pointer))
    // A larger batch than the context was created for is an assertion, not an error.
    batchSize = Int(llama_n_batch(pointer))
    // Some models rotate their keys by other angles in a larger window.
    identity =
      "\(model.identity); window \(contextSize), state \(LLAMA_STATE_SEQ_VERSION),"
      + " keys \(parameters.type_k.rawValue),"
      + " values \(parameters.type_v.rawValue), batch \(parameters.n_ubatch),"
      + " flash attention \(parameters.flash_attn_type.rawValue),"
      + " computed by ggml \(LlamaLibrary.version), \(LlamaLibrary.description)"
    batch = llama_batch_init(Int32(batchSize), 0, 1)
    cachedSequences = Array(repeating: CachedSequence(), count: sequenceCount)
  }

  deinit {
    llama_batch_free(batch)
    llama_free(pointer)
  }

  /// Returns the tokens that a sequence holds now.
  package func tokens(in sequence: Int32 = 0) -> [Token] {
    cachedSequences.indices.contains(Int(sequence)) ? cachedSequences[Int(sequence)].tokens : []
  }

  package func clear(_ sequence: Int32 = 0) throws(LlamaError) {
    try check(sequence)
    llama_memory_seq_rm(memory, sequence, -1, -1)
    cachedSequences[Int(sequence)] = CachedSequence()
  }

  /// Forgets every sequence.
  package func clear() {
    llama_memory_clear(memory, true)
    cachedSequences = Array(repeating: CachedSequence(), count: sequenceCount)
  }

  var memory: llama_memory_t? { llama_get_memory(pointer) }

  func check(_ sequence: Int32) throws(LlamaError) {
    guard cachedSequences.indices.contains(Int(sequence)) else {
      throw .unknownSequence(sequence)
    }
  }

  /// Records what a sequence holds; called after every change of the memory.
  ///
  /// - Parameter together: How many of the tokens were computed at least two at a time, where that
  ///   is known of more of them than before.
  func note(_ tokens: [Token], in sequence: Int32, together: Int? = nil) {
    cachedSequences[Int(sequence)].tokens = tokens
    let together = together ?? cachedSequences[Int(sequence)].together
    cachedSequences[Int(sequence)].together = min(together, tokens.count)
    cachedSequences[Int(sequence)].images.removeAll { $0.end > tokens.count }
  }

  func noteAppended(_ tokens: ArraySlice<Token>, to sequence: Int32) {
    cachedSequences[Int(sequence)].append(tokens)
  }

  /// Records an image, with names for its cells, after what a sequence holds.
  func noteAppended(_ names: ArraySlice<Token>, image: ImageSpan, to sequence: Int32) {
    cachedSequences[Int(sequence)].append(names)
    cachedSequences[Int(sequence)].images.append(image)
  }

  /// Returns the position that the model counts at a place in a sequence.
  func position(of place: Int, in sequence: Int32) -> Int32 {
    Int32(cachedSequences[Int(sequence)].position(of: place))
  }

  /// Returns this many tokens of a sequence, or fewer where the last would be inside an image.
  func wholeCount(_ count: Int, in sequence: Int32) -> Int {
    cachedSequences[Int(sequence)].wholeCount(count)
  }

  /// Returns how many of a sequence's first tokens were computed at least two at a time.
  func togetherCount(in sequence: Int32) -> Int { cachedSequences[Int(sequence)].together }

  func noteUse(of sequence: Int32, segments: PromptSegments) {
    uses += 1
    cachedSequences[Int(sequence)].lastUse = uses
    cachedSequences[Int(sequence)].segments = segments
  }

  func segments(of sequence: Int32) -> PromptSegments { cachedSequences[Int(sequence)].segments }

  func lastUse(of sequence: Int32) -> Int { cachedSequences[Int(sequence)].lastUse }

  /// Makes a sequence hold the beginning of another without computing it.
  func copy(_ source: Int32, to target: Int32, count: Int) throws(LlamaError) {
    try check(source)
    try clear(target)
    guard count > 0 else { return }
    llama_memory_seq_cp(memory, source, target, -1, -1)
    let end = position(of: count, in: source)
    if count < tokens(in: source).count, !llama_memory_seq_rm(memory, target, end, -1) {
      return try clear(target)
    }
    cachedSequences[Int(target)].images = cachedSequences[Int(source)].images
    note(
      Array(tokens(in: source).prefix(count)),
      in: target,
      together: togetherCount(in: source)
    )
  }
}
