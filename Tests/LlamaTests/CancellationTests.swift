import Foundation
import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
  private let model: LlamaModel

  init() throws {
    model = try Fixture.model()
  }

  @Test func `a long prompt is left in the middle and the context stays usable`() throws {
    let context = try Fixture.context(model, size: 8192)
    let prompt = Fixture.tokens(8000, of: model)
    let cancel = CancelFlag()
    cancelSoon(cancel)
    #expect(throws: LlamaError.cancelled) { try context.prefill(prompt, cancel: cancel) }
    #expect(context.tokens().count < prompt.count)
    #expect(context.tokens() == Array(prompt.prefix(context.tokens().count)))

    let request = Chat.baton.request
    let fresh = try Generation(context: Fixture.context(model, size: 8192)).run(request)
    let again = try Generation(context: context).run(request)
    #expect(again.message == fresh.message)
    #expect(again.finish == .stop)
  }

  @Test func `a prompt that was cancelled goes on from where it was`() throws {
    let context = try Fixture.context(model, size: 4096)
    let prompt = Fixture.tokens(4000, of: model)
    let cancel = CancelFlag()
    cancelSoon(cancel)
    #expect(throws: LlamaError.cancelled) { try context.prefill(prompt, cancel: cancel) }
    let done = context.tokens().count
    let usage = try context.prefill(prompt)
    #expect(usage == PrefillUsage(cached: done, computed: prompt.count - done))
  }

  @Test func `a cancelled generation gives what there is`() throws {
    let generation = Generation(context: try Fixture.context(model))
    var request = Chat.brainstorm("Who are you?").request
    let whole = try generation.run(request)
    #expect(whole.usage.output > 5)
    let cancel = CancelFlag()
    let result = try generation.run(request, cancel: cancel) { _ in cancel.set() }
    #expect(result.finish == .cancelled)
    #expect((1..<whole.usage.output).contains(result.usage.output))
    #expect(whole.message.content.hasPrefix(result.message.content))
    request.maximumTokens = nil
    #expect(try generation.run(request).message == whole.message)
  }

  @Test func `what was cancelled before it began costs nothing`() throws {
    let generation = Generation(context: try Fixture.context(model))
    let cancel = CancelFlag()
    cancel.set()
    let result = try generation.run(Chat.baton.request, cancel: cancel)
    #expect(result.finish == .cancelled)
    #expect(result.message == GeneratedMessage())
    #expect(result.usage.computed == 0)
    #expect(result.usage.secondsToFirstToken == nil)
  }
}

/// Sets the flag from its own thread 30 milliseconds after the call.
///
/// It needs a thread because the tests keep every thread of the concurrency pool busy.
private func cancelSoon(_ cancel: CancelFlag) {
  let due = ContinuousClock.now + .milliseconds(30)
  Thread.detachNewThread {
    while ContinuousClock.now < due {}
    cancel.set()
  }
}
