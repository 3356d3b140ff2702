import AgentKit
import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct `What every request begins with` {
  @Test func `reaches up to the words of the first prompt`() throws {
    let model = try Fixture.model()
    let agent = AgentDescription.kind(reasoning: nil)
    let head = try model.prefix(of: agent).joined()
    #expect(head.contains("Be kind."))
    #expect(head.hasSuffix("user\n"))
  }

  @Test func `is not computed again by a request that asks`() throws {
    let generation = Generation(context: try Fixture.context())
    let prepared = try generation.prepare(Conversation.host.request).count
    var conversation = Conversation.host
    let result = try conversation.ask("boat", generation)
    #expect(result.usage.cached == prepared)
  }

  @Test func `may end in a token that a prompt writes in another way`() throws {
    // The prompt begins with a newline next to the one that the template writes before it.
    var (forked, fresh) = (Conversation.host, Conversation.host)
    let prepared = Generation(context: try Fixture.context())
    _ = try prepared.prepare(forked.request)
    let cold = Generation(context: try Fixture.context())
    let answers = try [forked.ask("\n\nboat", prepared), fresh.ask("\n\nboat", cold)]
    #expect(answers[0].message == answers[1].message)
    #expect(answers[0].usage.cached > 30)
  }

  @Test func `stays as it is, and the answers too, when an answer is rehearsed after it`() throws {
    var (rehearsed, fresh) = (Conversation.host, Conversation.host)
    let generations = try [Fixture.context(), Fixture.context()].map { Generation(context: $0) }
    for generation in generations { _ = try generation.prepare(rehearsed.request) }
    let held = generations[0].context.tokens()
    try generations[0].context.rehearse()
    #expect(generations[0].context.tokens() == held)
    #expect(!held.isEmpty)
    let answers = try [
      rehearsed.ask("boat", generations[0]), fresh.ask("boat", generations[1]),
    ]
    #expect(answers[0].message == answers[1].message)
    #expect(answers[0].usage.computed == answers[1].usage.computed)
  }

  @Test func `stays as it is when the rehearsal is called back`() throws {
    let generation = Generation(context: try Fixture.context())
    _ = try generation.prepare(Conversation.host.request)
    let held = generation.context.tokens()
    let cancel = CancelFlag()
    cancel.set()
    #expect(throws: LlamaError.cancelled) { try generation.context.rehearse(cancel: cancel) }
    #expect(generation.context.tokens() == held)
  }
}

extension AgentDescription {
  static func kind(reasoning level: ContextOptions.ReasoningLevel?) -> AgentDescription {
    AgentDescription(
      name: "host",
      description: "Hosts.",
      instructions: "Be kind.",
      tools: [],
      batons: [],
      friends: [],
      mode: .allowed,
      reasoningLevel: level,
      serverModel: nil,
      hasExit: false,
      permissions: []
    )
  }
}
