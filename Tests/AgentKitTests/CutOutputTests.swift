import AgentKit
import Testing

/// Outputs that are cut so that a context fits; a token of these models is a word.
@Suite(.timeLimit(.minutes(5)))
struct `An output that is cut` {
  private static func words(_ letter: String, _ count: Int) -> String {
    Array(repeating: letter, count: count).joined(separator: " ")
  }

  private static func prompt() -> Transcript.Prompt {
    .init(segments: [.text(.init(content: "go"))])
  }

  /// Returns a call and its output, where the model gives every call the same identity.
  private static func round(_ letter: String, _ count: Int) -> [Transcript.Entry] {
    let call = Transcript.ToolCall(
      id: "0",
      toolName: "look",
      arguments: GeneratedContent(properties: [:])
    )
    let text = Transcript.Segment.text(.init(content: words(letter, count)))
    return [
      .toolCalls(.init([call])),
      .toolOutput(.init(id: "0", toolName: "look", segments: [text])),
    ]
  }

  @Test(arguments: [Int?.none, 8192])
  func `does not take the place of another whose call has the same identity`(
    widest: Int?
  ) async throws {
    let (requests, host) = (Requests(), Managing(widest: widest))
    let model = requests.model(.text("ok"), .text("ok")).contextSize(400)
    let profile = LanguageModelSession.Profile { Instructions("Rules.") }.model(model)
    let rounds = Self.round("x", 500) + Self.round("y", 100)
    let history: [Transcript.Entry] = [.prompt(Self.prompt())] + rounds
    let session = LanguageModelSession(profile: profile, history: history)
    _ = try await session.run(.transcript, host: host)
    session.transcript.history.append(contentsOf: Self.round("z", 5))
    _ = try await session.run(.transcript, host: host)
    #expect(host.all.map(\.cutOutputs) == [1])
    let shown = requests.all.map { request in
      request.transcript.compactMap { entry -> String? in
        if case .toolOutput(let output) = entry { output.segments.joinedText } else { nil }
      }
    }
    #expect(shown.allSatisfy { $0.first?.hasPrefix("[Only the beginning of this ") == true })
    let whole = [Self.words("y", 100), Self.words("z", 5)]
    #expect(shown.map { Array($0.dropFirst()) } == [[whole[0]], whole])
  }

  @Test func `is cut before a transform sees it, as it was counted`() async throws {
    let (requests, host) = (Requests(), Managing(widest: 8192))
    let tool = Doing("read") { _ in Self.words("x", 500) }
    let model = requests.model(.call("read"), .text("ok")).contextSize(200)
    let profile = LanguageModelSession.Profile { tool }
      .model(model)
      .historyTransform { entries in
        entries.map { entry in
          guard case .toolOutput(var output) = entry else { return entry }
          output.segments.append(.text(.init(content: "End.")))
          return .toolOutput(output)
        }
      }
      .contextManagement(.automatic)
    let session = LanguageModelSession(profile: profile)
    _ = try await session.run(.prompt(Self.prompt()), host: host)
    #expect(host.all.map(\.cutOutputs) == [1])
    let output = try #require(requests.all.last?.transcript.last?.text)
    #expect(output.hasPrefix("[Only the beginning of this output is shown, about "))
    #expect(output.hasSuffix("\nEnd."))
  }
}
