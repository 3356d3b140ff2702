import Libllama

extension LlamaContext {
  /// Computes a batch on as many threads as there are cores for it.
  ///
  /// A step whose threads wait for one that lost its core is aborted and started again on fewer.
  ///
  /// - Returns: The result of `llama_decode`.
  func compute(_ batch: llama_batch, in sequence: Int32, cancel: CancelFlag?) -> Int32 {
    let held = position(of: tokens(in: sequence).count, in: sequence)
    while true {
      let count = pace.count(upTo: coreCount?() ?? 1)
      use(threads: count)
      computeBuffer.forget()
      let watch = StepWatch(threads: count, cancel: cancel, mayEnd: model.facts.canRewind)
      let code = watch.watching(pointer) { llama_decode(pointer, batch) }
      if count > 1 { pace.note(watch.time, on: count) }
      guard code == 2, watch.isCrowded, cancel?.isSet != true else { return code }
      llama_memory_seq_rm(memory, sequence, held, -1)
    }
  }
}

/// Ends a step early on cancellation, or when it has become slower than a step on fewer threads.
///
/// The computing thread asks it before each of a step's hundreds of parts.
final class StepWatch {
  /// How often to check for lost cores.
  ///
  /// A friend's question takes less than this to compute; at its beginning, the process that handed over to
  /// it is still busy.
  private static let interval = Duration.milliseconds(100)

  private let threads: Int
  private let cancel: CancelFlag?
  private let mayEnd: Bool
  private var interval = ProcessStopwatch()
  private let whole = ProcessStopwatch()
  private var crowded: ProcessTime?
  private var isEnding = false

  /// - Parameter mayEnd: Whether a step that is too slow may be ended and started again.
  init(threads: Int, cancel: CancelFlag?, mayEnd: Bool) {
    self.threads = threads
    self.cancel = cancel
    self.mayEnd = mayEnd && threads > 1
  }

  var isCrowded: Bool { crowded != nil }

  /// The time of the step, or of the part of it that was too slow.
  var time: ProcessTime { crowded ?? whole.time }

  func watching<Result, Failure>(
    _ context: OpaquePointer,
    _ step: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard cancel != nil || mayEnd else { return try step() }
    llama_set_abort_callback(
      context,
      { data in
        guard let data else { return false }
        return Unmanaged<StepWatch>.fromOpaque(data).takeUnretainedValue().endsStep()
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
    defer {
      llama_set_abort_callback(context, nil, nil)
      if isEnding { Runtime.log.finishEnding() }
    }
    return try withExtendedLifetime(self, step)
  }

  private func endsStep() -> Bool {
    if !isEnding, isOver {
      isEnding = true
      Runtime.log.beginEnding()
    }
    return isEnding
  }

  private var isOver: Bool {
    if let cancel, cancel.isSet { return true }
    guard mayEnd, interval.wall >= Self.interval else { return false }
    let time = interval.time
    interval = ProcessStopwatch()
    if ThreadPace.isCrowded(time, on: threads) { crowded = time }
    return isCrowded
  }
}
