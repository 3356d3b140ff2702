import AgentKit
import TestSupport
import Testing

@testable import Llama

/// A model with random weights, whose likeliest tokens soon repeat themselves.
@Suite(.timeLimit(.minutes(5))) struct `An answer that repeats itself without end` {
  private let files: Files
  private let path: String

  init() throws {
    files = try Files()
    path = try files.write(TinySliding.model(), "sliding.gguf")
  }

  private func session() throws -> LanguageModelSession {
    let engine = try LlamaEngine(modelAt: path, contextSize: 2048)
    return LanguageModelSession(model: LoadedLanguageModel(engine), instructions: "Fold.")
  }

  private func generation(chatTemplate: String?) throws -> Generation {
    var options = LlamaModel.Options()
    options.chatTemplate = chatTemplate
    let model = try LlamaModel(path: path, options: options)
    return Generation(context: try Fixture.context(model, size: 2048))
  }

  @Test func `is stopped, and the exit says so`() async throws {
    let options = GenerationOptions(samplingMode: .greedy)
    let response = try await session().respond(to: "A boat.", options: options)
    #expect(response.exit == .cap("repetition"))
    #expect("\(response.exit)" == "the answer repeated itself without end")
    #expect(response.usage.output.totalTokenCount < 1200)
    #expect(!response.content.isEmpty)
  }

  @Test func `is told from one that another limit cuts off`() async throws {
    var options = GenerationOptions(samplingMode: .greedy)
    options.maximumResponseTokens = 300
    let response = try await session().respond(to: "A boat.", options: options)
    #expect(response.usage.output.totalTokenCount == 300)
    #expect(response.exit == .cap("repetition"))
    options.maximumResponseTokens = 8
    let short = try await session().respond(to: "A boat.", options: options)
    #expect(short.exit == .answered)
  }

  @Test func `is stopped inside a call, which is not made`() throws {
    let template = try Fixture.model().templates.source
    var request = Chat(system: "You take notes.", tools: [], user: "A boat.").request
    // The grammar leaves it no other text, and no early end.
    request.tools = """
      [{"type": "function", "function": {"name": "note", "description": "Notes.", "parameters": {
      "type": "object", "properties": {"text": {"type": "string", "pattern": "^a{1500,}$"}},
      "required": ["text"]}}}]
      """
    request.toolMode = .required
    request.maximumTokens = nil
    let result = try generation(chatTemplate: template).run(request)
    #expect(result.finish == .repetition)
    #expect(result.usage.output < 1200)
    #expect(result.message.calls.isEmpty)
  }

  @Test func `of calls that are the same leaves one`() {
    let call = GeneratedCall(id: "a", name: "fold", arguments: "{}")
    let other = GeneratedCall(id: "b", name: "fold", arguments: #"{"x": 1}"#)
    var calls = [call, GeneratedCall(id: "c", name: "fold", arguments: "{}"), other, call, other]
    calls.removeRepeated()
    #expect(calls == [call, other])
  }
}
