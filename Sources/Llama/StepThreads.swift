import Libllama

/// Threads that are there from one step to the next.
///
/// Where a context has none, each step starts its own and waits for their beginning and their end.
/// Only a process that is never forked may have them.
final class StepThreads {
  /// How long they look for the next step before they sleep, in units of ggml's: a few milliseconds,
  /// which is what lies between two tokens of one answer, and nobody's core is held for longer.
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

  /// Has the steps of a context computed on these, from now on.
  func serve(_ context: OpaquePointer) {
    llama_attach_threadpool(context, pointer, pointer)
  }
}

extension LlamaContext {
  /// Has the next step computed on so many threads.
  func use(threads count: Int) {
    llama_set_n_threads(pointer, Int32(count), Int32(count))
    guard keepsThreads, count > 1 else {
      if serving != nil { llama_detach_threadpool(pointer) }
      serving = nil
      return
    }
    guard serving != count else { return }
    // As many as there are for each count: those that a step has no use for would look for work on
    // cores that are others' now. The one that the context knows is freed after it. Where there are many
    // cores there are many counts: then only the last two stay.
    let chosen = threads[count] ?? StepThreads(count: count)
    threads[count] = chosen
    chosen.serve(pointer)
    if threads.count > 3 { threads = threads.filter { $0.key == count || $0.key == serving } }
    serving = count
  }
}
