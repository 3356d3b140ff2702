import Synchronization
import Testing

@testable import AgentKit

@Suite struct `A rolling window` {
  @Test(arguments: [
    (1, ["instructions", "prompt 3"]), (2, ["instructions", "prompt 3"]),
    (3, ["instructions", "prompt 2", "answer 2", "prompt 3"]),
    (6, ["instructions", "prompt 2", "answer 2", "prompt 3"]),
    (
      7,
      ["instructions", "prompt 1", "call", "output", "answer 1", "prompt 2", "answer 2"]
        + ["prompt 3"]
    ),
  ])
  func `begins with a prompt and keeps the instructions`(count: Int, expected: [String])
    async throws
  {
    let seen = Seen()
    let session = LanguageModelSession(
      profile: Windowed(count: count, seen: seen),
      history: Self.history
    )
    _ = try await session.respond(to: "prompt 3")
    #expect(seen.entries == expected)
    // None of it is stored.
    #expect(session.transcript.count == Self.history.count + 3)
  }

  @Test func `shows the exchange that is under way whole`() async throws {
    let seen = Seen()
    let session = LanguageModelSession(profile: Calling(seen: seen))
    _ = try await session.respond(to: "go")
    #expect(seen.entries == ["instructions", "go", "nothing{}", "done", "nothing{}", "done"])
  }

  @Test(arguments: [
    (2, ["answer 2", "prompt 3"]), (3, ["prompt 2", "answer 2", "prompt 3"]), (0, ["prompt 3"]),
    (5, ["output", "answer 1", "prompt 2", "answer 2", "prompt 3"]),
    (7, ["prompt 1", "call", "output", "answer 1", "prompt 2", "answer 2", "prompt 3"]),
    (
      8,
      ["instructions", "prompt 1", "call", "output", "answer 1", "prompt 2", "answer 2"]
        + ["prompt 3"]
    ),
  ])
  func `is exactly the last entries where it does not keep the instructions`(
    count: Int,
    expected: [String]
  ) async throws {
    let seen = Seen()
    let session = LanguageModelSession(
      profile: Windowed(count: count, keepingInstructions: false, seen: seen),
      history: Self.history
    )
    _ = try await session.respond(to: "prompt 3")
    #expect(seen.entries == expected)
  }

  private static let history: [Transcript.Entry] = [
    prompt("prompt 1"),
    .toolCalls(.init([.init(id: "1", toolName: "call", arguments: .init(kind: .null))])),
    .toolOutput(.init(id: "1", toolName: "call", segments: [.text(.init(content: "output"))])),
    answer("answer 1"), prompt("prompt 2"), answer("answer 2"),
  ]

  private static func prompt(_ text: String) -> Transcript.Entry {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  private static func answer(_ text: String) -> Transcript.Entry {
    .response(.init(segments: [.text(.init(content: text))]))
  }
}

/// What the model last saw.
private final class Seen: Sendable {
  private let value = Mutex<[String]>([])

  var entries: [String] { value.withLock { $0 } }

  func note(_ transcript: Transcript) {
    value.withLock { value in
      value = transcript.map { entry in
        if case .toolCalls(let calls) = entry, calls.first?.toolName == "call" { return "call" }
        return entry.description
      }
    }
  }
}

private struct Windowed: LanguageModelSession.DynamicProfile {
  let count: Int
  var keepingInstructions = true
  let seen: Seen

  var body: some DynamicProfile {
    Profile { Instructions("instructions") }
      .model(
        ScriptedLanguageModel(deciding: { [seen] request in
          seen.note(request.transcript)
          return .text("answer")
        })
      )
      .rollingWindow(entries: count, keepingInstructions: keepingInstructions)
  }
}

private struct Calling: LanguageModelSession.DynamicProfile {
  let seen: Seen

  var body: some DynamicProfile {
    Profile {
      Instructions("instructions")
      Nothing()
    }
    .model(
      ScriptedLanguageModel(deciding: { [seen] request in
        seen.note(request.transcript)
        return request.transcript.count < 6 ? .call("nothing") : .text("answer")
      })
    )
    .rollingWindow(entries: 2)
  }

  struct Nothing: Tool {
    let name = "nothing"
    let description = "Does nothing."
    @Generable struct Arguments {}
    func call(arguments: Arguments) async throws -> String { "done" }
  }
}
