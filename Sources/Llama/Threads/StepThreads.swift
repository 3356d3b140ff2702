import Libllama

/// Threads that persist from one step to the next.
///
/// Without them each step starts its own threads and waits for them to start and end. Only a
/// process that is never forked may have them.
final class StepThreads {
  /// How long they poll for the next step before they sleep, in ggml's units: a few milliseconds,
  /// the time between two tokens of one answer, so no core is held for longer.
  private static let polling: UInt32 = 1

  private let pointer: OpaquePointer

  init(count: Int) {
    var parameters = ggml_threadpool_params_default(Int32(count))
    parameters.poll = Self.polling
    guard let pointer = ggml_threadpool_new(&parameters) else {
      // ggml ends the process itself when the system starts no more threads.
      preconditionFailure("ggml has made no \(count) threads")
    }
    self.pointer = pointer
  }

  deinit {
    ggml_threadpool_free(pointer)
  }

  /// Makes a context compute its steps on these threads from now on.
  func serve(_ context: OpaquePointer) {
    llama_attach_threadpool(context, pointer, pointer)
  }
}

extension LlamaContext {
  /// Makes the next step use this many threads.
  func use(threads count: Int) {
    llama_set_n_threads(pointer, Int32(count), Int32(count))
    guard keepsThreads, count > 1 else {
      if serving != nil { llama_detach_threadpool(pointer) }
      serving = nil
      return
    }
    guard serving != count else { return }
    // There is a pool for each count, because threads that a step does not use would poll on cores
    // that now belong to others. The pool that the context knows is freed only after it is
    // replaced. With many cores there are many counts, so only the last two pools stay.
    let chosen = threads[count] ?? StepThreads(count: count)
    threads[count] = chosen
    chosen.serve(pointer)
    if threads.count > 3 { threads = threads.filter { $0.key == count || $0.key == serving } }
    serving = count
  }
}
