import Testing
import Wire

@Suite struct `Progress` {
  @Test func `tells how fast it goes and how long the rest takes`() {
    let progress = WorkProgress(stage: .prefill, done: 300, total: 1100, first: 100, seconds: 2)
    // What was cached took no time.
    #expect(progress.rate == 100)
    #expect(progress.secondsLeft == 8)
  }

  @Test func `tells neither before anything is done`() {
    let progress = WorkProgress(stage: .loading, done: 0, total: 9, seconds: 1)
    #expect(progress.rate == nil)
    #expect(progress.secondsLeft == nil)
  }

  @Test(arguments: [
    WorkProgress(stage: .loading, done: -1, total: 9, seconds: 1),
    WorkProgress(stage: .loading, done: 1, total: .max, seconds: 1),
    WorkProgress(stage: .loading, done: 1, total: 9, seconds: .infinity),
    WorkProgress(stage: .loading, done: 1, total: 9, seconds: -1),
  ])
  func `is refused where it is impossible`(progress: WorkProgress) {
    #expect(throws: (any Error).self) { try FromWorker.progress(progress).validate() }
  }
}

@Suite struct `A rendered prompt` {
  @Test func `lacks the middle of what is too long`() {
    let long = String(repeating: "日本語", count: 100_000)
    let prompt = RenderedPrompt(tokens: 2, cached: 1, cachedText: long, computedText: "Hello")
    #expect(prompt.cachedText.utf8.count <= RenderedPrompt.maximumBytes)
    #expect(prompt.cachedText.hasPrefix("日本語日本語"))
    #expect(prompt.cachedText.hasSuffix("日本語日本語"))
    #expect(prompt.computedText == "Hello")
    #expect(throws: Never.self) { try FromWorker.prompt(id: 1, prompt).validate() }
  }

  @Test func `is refused where it is longer than any`() {
    var prompt = RenderedPrompt(tokens: 2, cached: 1, cachedText: "", computedText: "")
    prompt.computedText = String(repeating: "x", count: RenderedPrompt.maximumBytes + 1)
    #expect(throws: (any Error).self) { try FromWorker.prompt(id: 1, prompt).validate() }
  }
}
