import AgentKit
import Foundation
import Synchronization
import Testing

/// Apple's behavior: how long executors live, and what happens to what they send.
@Suite(.timeLimit(.minutes(5)))
struct `Models and executors` {
  @Test func `an executor is made once for a session and a configuration`() async throws {
    let made = Counter()
    let session = LanguageModelSession(profile: Pair(made: made))
    for _ in 1...3 { try await session.respond(to: "Go") }
    // Two configurations, used alternately.
    #expect(made.values == [1, 2])
    try await LanguageModelSession(profile: Pair(made: made)).respond(to: "Go")
    #expect(made.values == [1, 2, 1])
  }

  @Test func `the model's value comes with each request`() async throws {
    let answers = Requests()
    let session = LanguageModelSession(profile: Renamed(requests: answers))
    #expect(try await session.respond(to: "Go").content == "0")
    #expect(try await session.respond(to: "Go").content == "1")
  }

  @Test func `parts without an identity belong together until another kind comes`() async throws {
    let model = DirectModel { channel in
      await channel.send(.reasoning(action: .appendText("Hm", tokenCount: 1)))
      await channel.send(.reasoning(action: .appendText("m.", tokenCount: 1)))
      await channel.send(.response(action: .appendText("One", tokenCount: 1)))
      await channel.send(.reasoning(action: .appendText("So.", tokenCount: 1)))
      await channel.send(.response(action: .appendText("Two", tokenCount: 1)))
    }
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "Go")
    #expect(
      response.transcriptEntries.map(\.outline) == [
        "reasoning: Hmm.", "response: One", "reasoning: So.", "response: Two",
      ]
    )
    #expect(response.content == "Two")
  }

  @Test func `parts with an identity belong together, whatever comes between`() async throws {
    let model = DirectModel { channel in
      for text in ["a", "b"] {
        await channel.send(.reasoning(entryID: "r", action: .appendText(text, tokenCount: 1)))
        await channel.send(.response(entryID: "t", action: .appendText(text, tokenCount: 1)))
      }
      await channel.send(.reasoning(entryID: "r", action: .updateMetadata(["level": "low"])))
      await channel.send(
        .reasoning(entryID: "r", action: .updateSignature(Data([1, 2]), tokenCount: 0))
      )
      await channel.send(.response(entryID: "t", action: .updateMetadata(["finish": "stop"])))
    }
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "Go")
    guard case .reasoning(let reasoning) = session.transcript[1],
      case .response(let response) = session.transcript[2]
    else {
      Issue.record("\(session.transcript.outline)")
      return
    }
    #expect(reasoning.description == "ab")
    #expect(reasoning.signature == Data([1, 2]))
    #expect(reasoning.metadata == ["level": GeneratedContent("low")])
    #expect(response.id == "t")
    #expect(response.description == "ab")
    #expect(response.metadata == ["finish": GeneratedContent("stop")])
  }

  @Test func `segments with an identity grow and are replaced on their own`() async throws {
    let model = DirectModel { channel in
      func send(_ action: LanguageModelExecutorGenerationChannel.Response.Action) async {
        await channel.send(.response(action: action))
      }
      await send(.appendText("One", segmentID: "1", tokenCount: 1))
      await send(.appendText("Two", segmentID: "2", tokenCount: 1))
      await send(.appendText("!", segmentID: "1", tokenCount: 1))
      await send(.replaceTextSegment("Zwei", segmentID: "2", tokenCount: 1))
    }
    let session = LanguageModelSession(model: model)
    #expect(try await session.respond(to: "Go").content == "One!\nZwei")
  }

  @Test func `calls grow, are taken back, and keep what is said beside them`() async throws {
    let model = DirectModel { channel in
      func send(
        _ id: String,
        _ action: LanguageModelExecutorGenerationChannel.ToolCalls.ToolCall.Action
      ) async {
        await channel.send(.toolCalls(action: .toolCall(id: id, name: "quit", action: action)))
      }
      await send("1", .appendArguments(#"{"x": "#, tokenCount: 1))
      await send("2", .appendArguments("{}", tokenCount: 1))
      await send("1", .appendArguments(#""a"}"#, tokenCount: 1))
      await send("1", .updateMetadata(["index": 0]))
      await channel.send(.toolCalls(action: .removeToolCall(id: "2")))
    }
    let transcript = await model.transcriptEndedByQuit()
    guard case .toolCalls(let calls) = transcript.last else {
      Issue.record("\(transcript.outline)")
      return
    }
    #expect(calls.map(\.description) == [#"quit{"x": "a"}"#])
    #expect(calls[0].metadata == ["index": GeneratedContent(0)])
  }

  @Test func `the last word on usage counts for a round, and rounds are summed`() async throws {
    let rounds = Counter()
    let model = DirectModel { channel in
      rounds.add(0)
      let isFirst = rounds.values.count == 1
      for tokens in [1, isFirst ? 5 : 7] {
        let input = LanguageModelSession.Usage.Input(totalTokenCount: tokens, cachedTokenCount: 0)
        let output = LanguageModelSession.Usage.Output(
          totalTokenCount: tokens,
          reasoningTokenCount: 0
        )
        await channel.send(.response(action: .updateUsage(input: input, output: output)))
      }
      if isFirst {
        await channel.send(
          .toolCalls(
            action: .toolCall(
              id: "1",
              name: "plain",
              action: .appendArguments("{}", tokenCount: 1)
            )
          )
        )
      }
    }
    let session = LanguageModelSession(model: model, tools: [Plain()])
    let response = try await session.respond(to: "Go")
    // The token of the call came after the last word on its round's usage, and adds to it.
    #expect(response.usage.totalTokenCount == 2 * (5 + 7) + 1)
    #expect(session.usage == response.usage)
    // Usage reported with an answer that did not come leaves no empty answer alongside calls.
    #expect(
      session.transcript.outline == [
        "instructions: ", "prompt: Go", "calls: plain{}", "output: plain done", "response: ",
      ]
    )
  }

  @Test func `a model that generates nothing has answered with nothing`() async throws {
    let session = LanguageModelSession(model: DirectModel { _ in })
    #expect(try await session.respond(to: "Go").content == "")
    #expect(session.transcript.last?.outline == "response: ")
  }
}

/// Numbers in order of arrival.
private final class Counter: Sendable {
  private let storage = Mutex<[Int]>([])

  var values: [Int] { storage.withLock { $0 } }

  func add(_ value: Int) {
    storage.withLock { $0.append(value) }
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var turns: Int = 0
}

/// A profile that alternates between two models.
private struct Pair: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.turns) var turns
  let made: Counter

  var body: some DynamicProfile {
    Profile {}
      .model(Numbered(number: turns % 2 + 1, made: made))
      .onResponse { turns += 1 }
  }
}

private struct Numbered: LanguageModel {
  let number: Int
  let made: Counter

  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
  var executorConfiguration: Configuration { Configuration(number: number, made: made) }

  struct Configuration: Hashable, Sendable {
    let number: Int
    let made: Counter

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  struct Executor: LanguageModelExecutor {
    init(configuration: Configuration) throws { configuration.made.add(configuration.number) }

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: Numbered,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await channel.send("\(model.number)")
    }
  }
}

/// A profile with a new model for each turn, all with one configuration.
private struct Renamed: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.turns) var turns
  let requests: Requests

  var body: some DynamicProfile {
    Profile {}
      .model(Labeled(label: "\(turns)"))
      .onResponse { turns += 1 }
  }

  struct Labeled: LanguageModel {
    let label: String

    var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
    var executorConfiguration: Int { 0 }

    struct Executor: LanguageModelExecutor {
      init(configuration: Int) throws {}

      nonisolated(nonsending) func respond(
        to request: LanguageModelExecutorGenerationRequest,
        model: Labeled,
        streamingInto channel: LanguageModelExecutorGenerationChannel
      ) async throws {
        await channel.send(model.label)
      }
    }
  }
}
