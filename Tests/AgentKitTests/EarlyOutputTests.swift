import AgentKit
import Testing

/// What a call returns while earlier ones still run.
@Suite(.timeLimit(.minutes(5)))
struct `An output that is there before its turn` {
  private let kept = Meeting(of: 1)
  private let log = Log()

  /// A tool that returns once another's output has been stored.
  private var slow: Doing {
    Doing("slow") { [kept, log] _ in
      await kept.wait()
      log.add("slow")
      return "slow"
    }
  }

  private var fast: Doing {
    Doing("fast") { [log] _ in
      log.add("fast")
      return "fast"
    }
  }

  @Test func `is kept at once, and again when those before it are`() async throws {
    var host = RecordingHost()
    host.afterEarly = { [kept] _ in kept.come() }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("slow"), .init("fast")]), .text("Done.")),
      tools: [fast, slow]
    )
    _ = try await session.run(.prompt(.init(segments: [])), host: host)
    let outputs = host.log.lines.filter { $0.contains("output: ") }
    #expect(outputs == ["early output: fast", "record output: slow", "record output: fast"])
  }

  @Test func `is what its call returned, for a process that goes on with the round`()
    async throws
  {
    let calls = ["slow", "fast"].map { name in
      Transcript.ToolCall(id: name, toolName: name, arguments: GeneratedContent(properties: [:]))
    }
    kept.come()
    var host = RecordingHost()
    host.progress = { call in
      guard call.toolName == "fast" else { return .notRun }
      return .returned([.text(.init(content: "was fast"))])
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.text("Done.")),
      tools: [fast, slow]
    )
    session.transcript.history = [
      .prompt(.init(segments: [.text(.init(content: "Go"))])), .toolCalls(.init(calls)),
    ]
    let outcome = try await session.run(.transcript, host: host)
    #expect(
      outcome.entries.map(\.outline) == ["output: slow", "output: was fast", "response: Done."]
    )
    #expect(log.lines == ["slow"])
  }

  @Test func `is not kept ahead where another call has its identity`() async throws {
    let fasts = (0..<2).map { _ in
      Transcript.ToolCall(id: "x", toolName: "fast", arguments: GeneratedContent(properties: [:]))
    }
    let first = Transcript.ToolCall(
      id: "y",
      toolName: "slow",
      arguments: GeneratedContent(properties: [:])
    )
    let alone = Transcript.ToolCall(
      id: "z",
      toolName: "fast",
      arguments: GeneratedContent(properties: [:])
    )
    var host = RecordingHost()
    host.progress = { _ in .notRun }
    host.afterEarly = { [kept] _ in kept.come() }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.text("Done.")),
      tools: [fast, slow]
    )
    session.transcript.history = [
      .prompt(.init(segments: [.text(.init(content: "Go"))])),
      .toolCalls(.init([first] + fasts + [alone])),
    ]
    _ = try await session.run(.transcript, host: host)
    #expect(host.log.lines.count { $0 == "early output: fast" } == 1)
    #expect(host.log.lines.count { $0 == "record output: fast" } == 3)
  }
}
