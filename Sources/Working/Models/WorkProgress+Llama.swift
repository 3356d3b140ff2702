import Llama
import Wire

extension WorkProgress {
  init(_ step: LongWork.Step) {
    self.init(
      stage: step.stage == .loading ? .loading : .prefill,
      done: step.done,
      total: step.total,
      first: step.first,
      seconds: step.seconds
    )
  }
}

extension RenderedPrompt {
  /// The prompt of this process's latest request; `nil` when there was none to a local model.
  static var latest: RenderedPrompt? {
    LastPrompt.text.map {
      RenderedPrompt(
        tokens: $0.tokens,
        cached: $0.cached,
        cachedText: $0.cachedText,
        computedText: $0.computedText
      )
    }
  }
}
