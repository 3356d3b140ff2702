import AgentKit
import Foundation
import Testing

/// Everything that a model sends through its channel reaches the transcript without being merged.
@Suite(.timeLimit(.minutes(5)))
struct `The channel of a model` {
  typealias Channel = LanguageModelExecutorGenerationChannel

  private static let usage = Channel.Response.Action.updateUsage(
    input: .init(totalTokenCount: 5, cachedTokenCount: 1),
    output: .init(totalTokenCount: 2, reasoningTokenCount: 0)
  )

  @Test func `several entries of one kind stay several, in their order`() async throws {
    let model = DirectModel { channel in
      for (id, text) in [("1", "One"), ("2", "Two"), ("1", "!"), ("3", "Three")] {
        await channel.send(.reasoning(entryID: id, action: .appendText(text, tokenCount: 1)))
        await channel.send(.response(entryID: id, action: .appendText(text, tokenCount: 1)))
      }
    }
    let response = try await LanguageModelSession(model: model).respond(to: "Go")
    #expect(
      response.transcriptEntries.map(\.outline) == [
        "reasoning: One!", "response: One!", "reasoning: Two", "response: Two",
        "reasoning: Three", "response: Three",
      ]
    )
    #expect(response.transcriptEntries.map(\.id) == ["1", "1", "2", "2", "3", "3"])
    #expect(response.content == "Three")
  }

  @Test func `what was used is the request's, and makes no entry`() async throws {
    let model = DirectModel { channel in
      await channel.send(.response(entryID: "t", action: .appendText("Hello", tokenCount: 1)))
      await channel.send(.response(action: Self.usage))
    }
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "Go")
    #expect(response.content == "Hello")
    #expect(response.transcriptEntries.count == 1)
    #expect(response.usage.totalTokenCount == 7)
  }

  @Test func `the tokens of parts are counted where nothing else is said of usage`() async throws {
    let model = DirectModel { channel in
      await channel.send(.reasoning(action: .appendText("Hm", tokenCount: 1)))
      await channel.send(.reasoning(action: .replaceTextSegment("So.", tokenCount: 2)))
      await channel.send(.reasoning(action: .updateSignature(Data([1]), tokenCount: 4)))
      await channel.send(.response(action: .appendText("Hello", tokenCount: 8)))
      await channel.send(.response(action: .replaceTextSegment("Hi", tokenCount: 16)))
    }
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "Go")
    #expect(response.content == "Hi")
    #expect(response.usage.output == .init(totalTokenCount: 31, reasoningTokenCount: 7))
    #expect(response.usage.input == .init(totalTokenCount: 0, cachedTokenCount: 0))
    #expect(session.usage == response.usage)
  }

  @Test func `the tokens of calls are counted, in each of a turn's rounds`() async throws {
    let model = TalkingModel(
      requests: Requests(),
      rounds: [("Let me see.", ["plain", "plain"]), ("Done.", [])]
    )
    let session = LanguageModelSession(model: model, tools: [Plain()])
    let response = try await session.respond(to: "Go")
    #expect(response.usage.output == .init(totalTokenCount: 3 + 1, reasoningTokenCount: 0))
  }

  @Test func `what was used replaces the tokens counted before it, and not those after it`()
    async throws
  {
    let model = DirectModel { channel in
      await channel.send(.reasoning(entryID: "r", action: .appendText("H", tokenCount: 30)))
      await channel.send(.response(entryID: "t", action: .appendText("Hel", tokenCount: 40)))
      await channel.send(.response(entryID: "t", action: Self.usage))
      await channel.send(.reasoning(entryID: "r", action: .appendText("m", tokenCount: 1)))
      await channel.send(.response(entryID: "t", action: .appendText("lo", tokenCount: 3)))
    }
    let response = try await LanguageModelSession(model: model).respond(to: "Go")
    #expect(response.content == "Hello")
    #expect(response.usage.input == .init(totalTokenCount: 5, cachedTokenCount: 1))
    #expect(response.usage.output == .init(totalTokenCount: 2 + 1 + 3, reasoningTokenCount: 1))
  }

  @Test func `an answer of which nothing is left does not hide the one before it`() async throws {
    let model = DirectModel { channel in
      await channel.send(.response(entryID: "1", action: .appendText("Hello", tokenCount: 1)))
      await channel.send(.response(entryID: "2", action: .appendText("Oh", tokenCount: 1)))
      await channel.send(.response(entryID: "2", action: .replaceTextSegment("", tokenCount: 0)))
    }
    #expect(try await LanguageModelSession(model: model).respond(to: "Go").content == "Hello")
  }

  @Test func `text beside calls is kept, and the calls of a round are one entry`() async throws {
    let model = DirectModel { channel in
      await channel.send(.response(entryID: "t", action: .appendText("Let me see.", tokenCount: 1)))
      for id in ["1", "2"] {
        await channel.send(
          .toolCalls(
            entryID: "round \(id)",
            action: .toolCall(
              id: id,
              name: "quit",
              action: .appendArguments("{}", tokenCount: 1)
            )
          )
        )
      }
    }
    let outline = await model.transcriptEndedByQuit().outline
    #expect(outline.suffix(2) == ["response: Let me see.", "calls: quit{}\nquit{}"])
  }

  @Test func `what is said beside a round is said of its calls, which may say more`()
    async throws
  {
    let model = DirectModel { channel in
      for id in ["1", "2", "3"] {
        await channel.send(
          .toolCalls(
            action: .toolCall(
              id: id,
              name: "quit",
              action: .appendArguments("{}", tokenCount: 1)
            )
          )
        )
      }
      await channel.send(
        .toolCalls(
          action: .toolCall(id: "2", name: "quit", action: .updateMetadata(["from": "call"]))
        )
      )
      await channel.send(.toolCalls(action: .updateMetadata(["old": 1])))
      await channel.send(.toolCalls(action: .updateMetadata(["from": "round", "level": 2])))
      await channel.send(.toolCalls(action: .removeToolCall(id: "3")))
    }
    let transcript = await model.transcriptEndedByQuit()
    guard case .toolCalls(let calls) = transcript.last else {
      Issue.record("\(transcript.outline)")
      return
    }
    #expect(calls.map(\.id) == ["1", "2"])
    #expect(calls.map { $0.metadata["from"] } == ["round", "call"].map { GeneratedContent($0) })
    #expect(calls.map { $0.metadata["level"] } == [GeneratedContent(2), GeneratedContent(2)])
    #expect(calls.allSatisfy { $0.metadata["old"] == nil })
  }

  @Test func `an attachment stands where it was added, until it is taken back`() async throws {
    let model = DirectModel { channel in
      await channel.send(.response(action: .appendText("Before", tokenCount: 1)))
      for id in ["a", "b"] {
        let image = Transcript.ImageAttachment(imageData: Data([1, 2, 3]))
        await channel.send(
          .response(action: .addAttachmentSegment(.init(id: id, content: .image(image))))
        )
      }
      await channel.send(.response(action: .appendText("After", tokenCount: 1)))
      await channel.send(.response(action: .removeAttachmentSegment(id: "b")))
      await channel.send(.response(action: .removeAttachmentSegment(id: "none")))
    }
    let session = LanguageModelSession(model: model)
    let content = try await session.respond(to: "Draw").content
    #expect(content == "Before\nAfter")
    guard case .response(let response) = session.transcript.last else {
      Issue.record("\(session.transcript.outline)")
      return
    }
    #expect(response.segments.count == 3)
    #expect(response.segments[1].id == "a")
  }

  @Test func `an attachment replaces nothing, even what has the same identity`() async throws {
    let model = DirectModel { channel in
      func send(_ action: Channel.Response.Action) async {
        await channel.send(.response(action: action))
      }
      let image = Transcript.ImageAttachment(imageData: Data([1, 2, 3]))
      await send(.addAttachmentSegment(.init(id: "b", content: .image(image))))
      await send(.appendText("One", segmentID: "a", tokenCount: 1))
      for _ in 1...2 {
        await send(.addAttachmentSegment(.init(id: "a", content: .image(image))))
      }
      for part in ["Two", "!"] {
        await send(.appendText(part, segmentID: "b", tokenCount: 1))
      }
    }
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "Draw")
    guard case .response(let response) = session.transcript.last else {
      Issue.record("\(session.transcript.outline)")
      return
    }
    #expect(response.segments.map(\.id) == ["b", "a", "a", "a", "b"])
    let texts = response.segments.compactMap { segment -> String? in
      if case .text(let text) = segment { text.content } else { nil }
    }
    #expect(texts == ["One", "Two!"])
  }

  @Test func `a round of which every call was taken back is no round`() async throws {
    let model = DirectModel { channel in
      await channel.send(
        .toolCalls(
          entryID: "c",
          action: .toolCall(id: "1", name: "quit", action: .appendArguments("{}", tokenCount: 1))
        )
      )
      await channel.send(.toolCalls(entryID: "c", action: .updateMetadata(["level": 2])))
      await channel.send(.toolCalls(entryID: "c", action: .removeToolCall(id: "1")))
      await channel.send("Never mind.")
    }
    let response = try await LanguageModelSession(model: model).respond(to: "Go")
    #expect(response.transcriptEntries.map(\.outline) == ["response: Never mind."])
  }

  @Test func `a signature is the thought's, and the last one counts`() async throws {
    let model = DirectModel { channel in
      for (id, bytes) in [("1", [1]), ("2", [2]), ("1", [3])] as [(String, [UInt8])] {
        await channel.send(.reasoning(entryID: id, action: .appendText("Hm", tokenCount: 1)))
        await channel.send(
          .reasoning(entryID: id, action: .updateSignature(Data(bytes), tokenCount: 0))
        )
      }
      await channel.send("Done.")
    }
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "Go")
    let signatures = session.transcript.compactMap { entry -> Data? in
      if case .reasoning(let reasoning) = entry { reasoning.signature } else { nil }
    }
    #expect(signatures == [Data([3]), Data([2])])
  }

  @Test func `what is given with a prompt comes with each of its requests, and not with others'`()
    async throws
  {
    let requests = Requests()
    let model = requests.model(.call("plain"), .text("One."), .text("Two."))
    let session = LanguageModelSession(model: model, tools: [Plain()])
    try await session.respond(to: "Go", metadata: ["from": "the door"])
    try await session.respond(to: "Go")
    let door = GeneratedContent("the door")
    #expect(requests.all.map { $0.metadata["from"] } == [door, door, nil])
  }
}
