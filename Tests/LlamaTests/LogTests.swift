import Libllama
import Synchronization
import Testing

@testable import Llama

/// What llama.cpp reports as an error although nothing went wrong is not in the log.
@Suite(.timeLimit(.minutes(5))) struct `The log of llama.cpp` {
  @Test func `leaves out the errors of a step that is ended on purpose, and nothing else`() {
    let log = LogTail()
    func take(_ level: ggml_log_level, _ text: String) -> Bool {
      log.take(level: level, text: text)
    }
    #expect(take(GGML_LOG_LEVEL_ERROR, "before\n"))
    #expect(
      !take(GGML_LOG_LEVEL_WARN, "decode: failed to find a memory slot for batch of size 2\n")
    )
    log.beginEnding()
    #expect(!take(GGML_LOG_LEVEL_ERROR, "graph_compute: failed with "))
    #expect(!take(GGML_LOG_LEVEL_CONT, "error 1\n"))
    #expect(take(GGML_LOG_LEVEL_WARN, "a warning\n"))
    log.beginEnding()
    log.finishEnding()
    #expect(!take(GGML_LOG_LEVEL_ERROR, "llama_decode: failed to decode\n"))
    log.finishEnding()
    #expect(take(GGML_LOG_LEVEL_ERROR, "after"))
    #expect(take(GGML_LOG_LEVEL_CONT, "wards\n"))
    #expect(log.lines(after: 0) == ["before", "afterwards"])
  }

  @Test func `has no error after a rehearsal, which ends a step on purpose`() throws {
    let context = try Fixture.context()
    try context.prefill(Fixture.tokens(40, of: context.model))
    let before = Runtime.log.count
    try context.rehearse()
    #expect(Runtime.log.lines(after: before) == [])
    #expect(context.tokens().count == 40)
  }

  @Test func `has no error after a prompt that was cancelled in the middle of a step`() throws {
    let context = try Fixture.context()
    let before = Runtime.log.count
    let parts = Mutex(40)
    let cancel = CancelFlag {
      parts.withLock { parts in
        parts -= 1
        return parts < 0
      }
    }
    #expect(throws: LlamaError.cancelled) {
      try context.prefill(Fixture.tokens(400, of: context.model), cancel: cancel)
    }
    #expect(Runtime.log.lines(after: before) == [])
  }

  @Test func `has the error of a step that failed`() throws {
    let context = try Fixture.context()
    let before = Runtime.log.count
    #expect(throws: LlamaError.decodeFailed(code: -1)) { try context.prefill([1, 1_000_000]) }
    #expect(Runtime.log.count > before)
  }

  @Test func `has no error where a conversation makes room for another`() throws {
    let generation = Generation(context: try Fixture.context(size: 512, sequences: 4))
    let before = Runtime.log.count
    for number in 1...8 {
      var conversation = Conversation.host
      conversation.instructions = "Number \(number). " + conversation.instructions
      try conversation.ask("I have paper and string.", generation)
    }
    #expect(Runtime.log.lines(after: before) == [])
  }
}
