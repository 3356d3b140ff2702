import Synchronization
import Wire

/// The questions to a worker for its latest prompt that have no answer yet.
final class PromptRequests: Sendable {
  private struct State {
    var lastID = 0
    var waiting: [Int: Latch] = [:]
    var answers: [Int: RenderedPrompt] = [:]
  }

  private let state = Mutex(State())

  /// Asks, and waits for the answer.
  /// - Returns: `nil` when the worker has none, or does not answer in time.
  func ask(patience: Duration, _ send: (Int) throws -> Void) async -> RenderedPrompt? {
    let latch = Latch()
    let id = state.withLock { state in
      state.lastID += 1
      state.waiting[state.lastID] = latch
      return state.lastID
    }
    if (try? send(id)) != nil { _ = await latch.wait(patience) }
    return state.withLock { state in
      state.waiting[id] = nil
      return state.answers.removeValue(forKey: id)
    }
  }

  /// Takes an answer; one that is not waited for is dropped.
  func receive(_ prompt: RenderedPrompt?, to id: Int) {
    let latch = state.withLock { state in
      let latch = state.waiting.removeValue(forKey: id)
      if latch != nil { state.answers[id] = prompt }
      return latch
    }
    latch?.open()
  }

  /// Gives up all questions, because the worker has ended.
  func close() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for latch in waiting { latch.open() }
  }
}
