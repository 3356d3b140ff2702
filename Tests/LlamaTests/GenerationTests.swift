import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct GenerationTests {
  private let generation: Generation

  init() throws {
    generation = Generation(context: try Fixture.context())
  }

  @Test func `the baton is passed to who can answer`() throws {
    let result = try generation.run(Chat.baton.request)
    #expect(
      result.message.calls == [
        GeneratedCall(id: "", name: "pass_baton", arguments: #"{"to": "tutorial"}"#)
      ]
    )
    #expect(result.message.content.isEmpty)
    #expect(result.finish == .stop)
  }

  @Test func `a friend is asked for a title`() throws {
    let result = try generation.run(
      Chat.brainstorm("Write a title for my fox project.").request
    )
    #expect(result.message.calls.map(\.name) == ["generate_title"])
    #expect(result.message.calls.map(\.arguments) == [#"{"topic": "fox"}"#])
  }

  @Test func `a plain chat is answered in text that only grows`() throws {
    var seen: [GeneratedMessage] = []
    let result = try generation.run(plain) { seen.append($0) }
    #expect(result.finish == .stop)
    #expect(result.message.content.count > 10)
    #expect(result.message.calls.isEmpty)
    #expect(seen.last == result.message)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.content.hasPrefix($0.content) })
  }

  @Test func `figures add up`() throws {
    let prompt = try generation.tokenCount(of: Chat.baton.request)
    let first = try generation.run(Chat.baton.request).usage
    #expect(first.input == prompt)
    #expect(first.cached == 0)
    #expect(first.computed == prompt)
    #expect(first.output > 5)
    let toFirst = try #require(first.secondsToFirstToken)
    #expect(toFirst >= first.prefillSeconds)
    let second = try generation.run(Chat.baton.request).usage
    #expect(second.cached == prompt - 1)
    #expect(second.computed == 1)
    #expect(second.output == first.output)
  }

  @Test func `what the context holds changes the cost and not the answer`() throws {
    let history = """
      [{"role":"system","content":"Summarise what the user wants."},
      {"role":"user","content":"user: I need folding steps for a seejout."}
      """
    var longer = GenerationRequest(
      messages: history
        + #",{"role":"assistant","content":"The user wants to fold a seejout."},"#
        + #"{"role":"user","content":"user: I finished the birdhouse."}]"#
    )
    longer.sampling = .greedy
    longer.maximumTokens = 60
    let fresh = try Generation(context: Fixture.context()).run(longer)

    var shorter = GenerationRequest(messages: history + "]")
    shorter.sampling = .greedy
    shorter.maximumTokens = 60
    _ = try generation.run(shorter)
    let warm = try generation.run(longer)
    #expect(warm.message == fresh.message)
    #expect(warm.usage.cached > 20)
    #expect(warm.usage.cached + warm.usage.computed == warm.usage.input)
    #expect(fresh.usage.cached == 0)
  }

  @Test func `two contexts give the same answers`() throws {
    let other = Generation(context: try Fixture.context())
    for chat in Chat.calling {
      let one = try generation.run(chat.request)
      let two = try other.run(chat.request)
      #expect(one.message == two.message)
      #expect(one.usage.output == two.usage.output)
    }
  }

  @Test func `the bound on tokens is kept, and half a call is no call`() throws {
    var request = Chat.baton.request
    for maximum in 1..<10 {
      request.maximumTokens = maximum
      let result = try generation.run(request)
      #expect(result.finish == .length)
      #expect(result.usage.output == maximum)
      #expect(result.message.calls.isEmpty)
      #expect(result.message.content.isEmpty)
    }
  }

  @Test func `a prompt that leaves no room for an answer is an error with its figures`() throws {
    let context = try Fixture.context(size: 256)
    var request = plain
    request.messages = request.messages.replacing(
      "Summarise",
      with: String(repeating: "Fold it. ", count: 200) + "Summarise"
    )
    let count = try generation.tokenCount(of: request)
    #expect(throws: LlamaError.promptTooLarge(contextSize: 256, tokenCount: count)) {
      try Generation(context: context).run(request)
    }
    #expect(context.tokens().isEmpty)
  }

  private var plain: GenerationRequest {
    var request = GenerationRequest(
      messages: """
        [{"role":"system","content":"Summarise what the user wants."},
        {"role":"user","content":"user: I need folding steps for a seejout."}]
        """
    )
    request.sampling = .greedy
    request.maximumTokens = 60
    return request
  }
}
