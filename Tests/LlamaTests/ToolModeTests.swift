import AgentKit
import Foundation
import Llama
import Testing

@Suite(.timeLimit(.minutes(5))) struct ToolModeTests {
  private let generation: Generation

  init() throws {
    generation = Generation(context: try Fixture.context())
  }

  @Test(arguments: Chat.calling)
  func `disallowed neither calls nor shows a call`(chat: Chat) throws {
    var request = chat.request
    request.toolMode = .disallowed
    try expectPlainText(request)
  }

  @Test(arguments: Chat.calling)
  func `disallowed holds where the prompt itself asks for calls`(chat: Chat) throws {
    let byHand = Chat(system: chat.systemWithTools, tools: [], user: chat.user)
    var request = byHand.request
    request.toolMode = .disallowed
    #expect(
      try generation.tokenCount(of: request) == generation.tokenCount(of: chat.request)
    )
    try expectPlainText(request)
    request.sampling = SamplingOptions()
    for seed in UInt32(0)..<4 {
      request.sampling.seed = seed
      try expectPlainText(request)
    }
  }

  @Test(arguments: Chat.calling)
  func `a call that is spelt where there are no tools is text, and whole`(chat: Chat) throws {
    var request = Chat(system: chat.systemWithTools, tools: [], user: chat.user).request
    request.toolMode = .noTools
    var seen: [GeneratedMessage] = []
    let result = try generation.run(request) { seen.append($0) }
    let text = result.message.content
    #expect(result.finish == .stop)
    #expect(result.message.calls.isEmpty)
    #expect(text.hasPrefix("<tool_call>\n{") && text.hasSuffix("}\n</tool_call>"))
    #expect(seen.allSatisfy { $0.calls.isEmpty && text.hasPrefix($0.content) })
  }

  @Test func `nothing that spells a call is kept from a model without tools and calls`() {
    let (plain, called) = (FamilyCase.plain.entries, FamilyCase.called.entries)
    let tools = FamilyCase.definitions
    #expect(toolMode(plain) == .noTools)
    #expect(toolMode(plain, asked: .allowed) == .noTools)
    #expect(toolMode(called) == .disallowed)
    #expect(toolMode(plain, asked: .disallowed) == .disallowed)
    #expect(toolMode(plain, withheld: tools, asked: .disallowed) == .withheld)
    #expect(toolMode(plain, tools: tools) == .allowed)
    #expect(toolMode(called, tools: tools) == .allowed)
  }

  @Test(arguments: Chat.calling)
  func `withheld neither calls nor computes anew what was computed with the tools`(
    chat: Chat
  ) throws {
    var request = chat.request
    let called = try generation.run(request)
    #expect(called.message.calls.count == 1)
    #expect(called.finish == .stop)
    request.toolMode = .withheld
    try expectPlainText(request)
    let usage = try generation.run(request).usage
    #expect(usage.input == called.usage.input)
    #expect(usage.cached == usage.input - 1)
    request.sampling = SamplingOptions()
    for seed in UInt32(0)..<4 {
      request.sampling.seed = seed
      try expectPlainText(request)
    }
    // Proves that the check works: the prompt is different without the tools.
    request.toolMode = .disallowed
    let hidden = try generation.run(request).usage
    #expect(hidden.input < usage.input && hidden.cached < hidden.input - 1)
  }

  @Test(
    arguments: Chat.calling + [
      Chat.brainstorm("Who are you?"), Chat.tutorial("Who is the president?"),
      Chat.coach("thanks!"), Chat.brainstorm("Something fun with pebbles, please."),
    ]
  )
  func `required calls, whatever was said and however it is sampled`(chat: Chat) throws {
    var request = chat.request
    request.toolMode = .required
    request.maximumTokens = 300
    try expectCalls(request, of: chat)
    request.sampling = SamplingOptions()
    request.sampling.temperature = 1.2
    for seed in UInt32(0)..<4 {
      request.sampling.seed = seed
      try expectCalls(request, of: chat)
    }
  }

  private static let place =
    #"{"type": "object", "properties": {"place": {"type": "string", "maxLength": 8}}, "#
    + #""required": ["place"], "additionalProperties": false}"#

  @Test(arguments: Chat.calling)
  func `allowed calls where the answer must meet a schema`(chat: Chat) throws {
    var request = chat.request
    let free = try generation.run(request)
    request.schema = Self.place
    let result = try generation.run(request)
    #expect(result.message == free.message)
    #expect(result.usage.output == free.usage.output)
  }

  @Test(arguments: [Chat.brainstorm("Who are you?"), Chat.tutorial("Who is the president?")])
  func `allowed meets the schema where nothing is called`(chat: Chat) throws {
    var request = chat.request
    var seen: [GeneratedMessage] = []
    let free = try generation.run(request)
    #expect(free.message.calls.isEmpty)
    request.schema = Self.place
    let result = try generation.run(request) { seen.append($0) }
    let object = try JSONSerialization.jsonObject(with: Data(result.message.content.utf8))
    #expect((object as? [String: Any])?["place"] is String)
    // The text that stands in for a call is never shown as an answer.
    #expect(seen.allSatisfy { $0.content.isEmpty || $0.content.hasPrefix("{") })
    #expect(result.usage.output > free.usage.output)
    #expect(result.usage.input == free.usage.input)
  }

  @Test func `required may be kept to one call`() throws {
    var request = Chat.baton.request
    request.toolMode = .required
    request.allowsParallelCalls = false
    request.sampling = SamplingOptions()
    request.sampling.temperature = 3
    for seed in UInt32(0)..<10 {
      request.sampling.seed = seed
      #expect(try generation.run(request).message.calls.count <= 1)
    }
  }

  @Test func `required without tools is an error`() throws {
    var request = Chat(system: "S", tools: [], user: "U").request
    request.toolMode = .required
    #expect(throws: LlamaError.requiredCallWithoutTools) { try generation.run(request) }
    request.tools = nil
    #expect(throws: LlamaError.requiredCallWithoutTools) { try generation.run(request) }
  }

  @Test(arguments: [GenerationRequest.ToolMode.allowed, .required])
  func `tools that the template cannot carry are refused where only native ones are wanted`(
    mode: GenerationRequest.ToolMode
  ) throws {
    let model = try Fixture.model(
      chatTemplate: "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"
    )
    let context = try Fixture.context(model)
    var request = Chat.baton.request
    request.toolMode = mode
    request.nativeToolsOnly = true
    #expect(throws: LlamaError.templateCannotCarryTools) {
      try Generation(context: context).run(request)
    }
    #expect(context.tokens().isEmpty)
    request.toolMode = .disallowed
    #expect(throws: Never.self) { try Generation(context: context).run(request) }
  }

  private func toolMode(
    _ entries: [Transcript.Entry],
    tools: [Transcript.ToolDefinition] = [],
    withheld: [Transcript.ToolDefinition] = [],
    asked: GenerationOptions.ToolCallingMode? = nil
  ) -> GenerationRequest.ToolMode {
    var request = LanguageModelExecutorGenerationRequest(
      transcript: Transcript(entries: entries),
      enabledTools: tools,
      generationOptions: GenerationOptions(toolCallingMode: asked),
      contextOptions: ContextOptions()
    )
    request.withheldToolDefinitions = withheld
    return GenerationRequest(request).toolMode
  }

  private func expectPlainText(
    _ request: GenerationRequest,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var seen: [GeneratedMessage] = []
    let result = try generation.run(request) { seen.append($0) }
    for message in seen + [result.message] {
      #expect(message.calls.isEmpty, sourceLocation: sourceLocation)
      #expect(!message.content.contains("<tool"), sourceLocation: sourceLocation)
    }
  }

  private func expectCalls(_ request: GenerationRequest, of chat: Chat) throws {
    let result = try generation.run(request)
    guard result.finish == .stop else {
      // A poor model may write a long string, which is not a fault of the mode.
      #expect(request.sampling != .greedy)
      return
    }
    #expect(!result.message.calls.isEmpty)
    for call in result.message.calls {
      let tool = try #require(chat.tools.first { $0.name == call.name })
      let object = try JSONSerialization.jsonObject(with: Data(call.arguments.utf8))
      let arguments = try #require(object as? [String: Any])
      #expect(arguments[tool.argument] is String)
    }
  }
}
