import AgentKit
import Foundation
import Remote
import Testing

/// A real server: llama.cpp's own, with the shipped model.
@Suite(
  .serialized,
  .timeLimit(.minutes(10)),
  .enabled(if: LlamaServer.program != nil, "deploy/peers builds llama-server")
)
struct LlamaServerTests {
  private func model(
    _ server: LlamaServer,
    key: String? = nil
  ) -> RemoteLanguageModel {
    RemoteLanguageModel(
      ChatCompletionsLanguageModel(name: "pocket", url: server.url, key: key),
      environment: [:]
    )
  }

  /// Starts like the shipped agent, whose exact wording the model was trained on.
  private static let instructions =
    "You write origami tutorials. Look the model up in the database before you answer."
    + " Pass the baton to the coach for feedback, and to brainstorm for new ideas."

  @Test func `A tool is called, and its output answered`() async throws {
    try await LlamaServer.run { server in
      let session = LanguageModelSession(
        model: model(server),
        tools: [Database(), Baton()],
        instructions: Self.instructions
      )
      var seen: [String] = []
      let stream = session.streamResponse(
        to: "How do I fold a crane?",
        options: GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 120)
      )
      for try await snapshot in stream { seen.append(snapshot.content) }
      let outline = session.transcript.outline
      try #require(outline.count > 4, "\(outline)")
      #expect(outline[2] == #"calls query_origami_database{"name": "crane"}"#)
      #expect(outline[3] == "output 1. Fold the square in half.")
      #expect(seen.count > 3)
      #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.hasPrefix($0) })
      #expect(outline.last == "response \(try #require(seen.last))")
      #expect(session.usage.input.totalTokenCount > 100)
      #expect(session.usage.input.cachedTokenCount > 0)
      #expect(session.usage.output.totalTokenCount > 10)
    }
  }

  @Test func `A required call comes`() async throws {
    try await LlamaServer.run { server in
      let session = LanguageModelSession(
        model: model(server),
        tools: [Database(isLast: true), Baton(isLast: true)],
        instructions: Self.instructions
      )
      let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
        try await session.respond(
          to: "How do I fold a crane?",
          options: GenerationOptions(
            samplingMode: .greedy,
            maximumResponseTokens: 200,
            toolCallingMode: .required
          )
        )
      }
      #expect(error?.underlyingError is Called)
    }
  }

  @Test func `An answer is held to a schema`() async throws {
    try await LlamaServer.run { server in
      let session = LanguageModelSession(model: model(server))
      let choice = try await session.respond(
        to: "Which one?",
        generating: Choice.self,
        options: GenerationOptions(samplingMode: .greedy)
      ).content
      #expect(["crane", "boat"].contains(choice.model))
      #expect((1...3).contains(choice.stars))
    }
  }

  @Test func `Cancelling ends the server's work`() async throws {
    try await LlamaServer.run(["--ctx-size", "8192"]) { server in
      let model = model(server)
      let (begun, begin) = AsyncStream<Void>.makeStream()
      let task = Task {
        // The schema keeps the model from ending by itself.
        let stream = LanguageModelSession(model: model).streamResponse(
          to: "Count.",
          generating: Count.self,
          options: GenerationOptions(samplingMode: .greedy)
        )
        for try await _ in stream { begin.yield() }
      }
      for await _ in begun { break }
      let isComputing = try await server.isComputing
      #expect(isComputing)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      while try await server.isComputing {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  @Test func `A prompt that does not fit is told with its figures`() async throws {
    try await LlamaServer.run { server in
      let session = LanguageModelSession(model: model(server))
      let words = String(repeating: "fold the paper ", count: 800)
      let error = try #require(
        await #expect(throws: LanguageModelError.self) { try await session.respond(to: words) }
      )
      guard case .contextSizeExceeded(let facts) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(facts.contextSize == 1024)
      #expect(facts.tokenCount > 1024)
    }
  }

  @Test func `A wrong key is refused, and the right one is not`() async throws {
    try await LlamaServer.run(["--api-key", "sk-right"]) { server in
      let wrong = LanguageModelSession(model: model(server, key: "sk-wrong"))
      let error = try #require(
        await #expect(throws: ChatCompletionsLanguageModel.APIError.self) {
          try await wrong.respond(to: "Hello")
        }
      )
      #expect(error.statusCode == 401)
      let right = LanguageModelSession(model: model(server, key: "sk-right"))
      let answer = try await right.respond(
        to: "hello",
        options: GenerationOptions(maximumResponseTokens: 5)
      )
      #expect(answer.usage.output.totalTokenCount > 0)
    }
  }
}

@Generable private struct Choice {
  @Guide(description: "The model.", .anyOf(["crane", "boat"])) var model: String
  @Guide(description: "How good it is.", .range(1...3)) var stars: Int
}

@Generable private struct Count {
  @Guide(.count(1000)) var numbers: [Int]
}

private struct Called: Error {}

// The shipped agent's tools, in the words that the model was trained on.

private struct Database: Tool {
  let name = "query_origami_database"
  let description = "Look up the folding steps of an origami model."
  var isLast = false
  @Generable struct Arguments { var name: String }

  func call(arguments: Arguments) async throws -> String {
    if isLast { throw Called() }
    return "1. Fold the square in half."
  }
}

private struct Baton: Tool {
  let name = "pass_baton"
  let description =
    "Give control to a different agent: brainstorm (suggests projects) or coach (reviews finished"
    + " work)."
  var isLast = false
  @Generable struct Arguments { @Guide(.anyOf(["brainstorm", "coach"])) var to: String }

  func call(arguments: Arguments) async throws -> String {
    if isLast { throw Called() }
    return "The baton is now with \(arguments.to)."
  }
}
