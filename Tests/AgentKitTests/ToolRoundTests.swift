import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A round of calls` {
  private func outputs(_ session: LanguageModelSession) -> [Transcript.ToolOutput] {
    session.transcript.compactMap { if case .toolOutput(let output) = $0 { output } else { nil } }
  }

  private func calls(_ session: LanguageModelSession) -> [Transcript.ToolCall] {
    session.transcript.flatMap { entry -> [Transcript.ToolCall] in
      if case .toolCalls(let calls) = entry { Array(calls) } else { [] }
    }
  }

  @Test(arguments: [
    (text: "x", count: EntryLimit.bytes, isKept: false),
    (text: "\u{1}", count: EntryLimit.bytes / 6, isKept: false),
    (text: "x", count: 15 << 20, isKept: true),
  ])
  func `tells the model of an output that is too much to keep`(
    text: String,
    count: Int,
    isKept: Bool
  ) async throws {
    let tool = Doing("read") { _ in String(repeating: text, count: count) }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("read")]), .text("Done.")),
      tools: [tool]
    )
    #expect(try await session.respond(to: "Read").content == "Done.")
    let output = try #require(outputs(session).first?.segments.joinedText)
    #expect(output.hasPrefix("'read' has run, but returned") == !isKept)
    #expect((output.utf8.count == count) == isKept)
  }

  @Test func `counts what stands around many short texts`() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("names")]), .text("Done.")),
      tools: [Naming(count: 210_000)]
    )
    #expect(try await session.respond(to: "Who?").content == "Done.")
    let output = try #require(outputs(session).first?.segments.joinedText)
    #expect(output.hasPrefix("'names' has run, but returned"))
  }

  /// A tool that returns a text for each of many names.
  struct Naming: Tool {
    let name = "names"
    let description = "Lists names."
    let count: Int
    @Generable struct Arguments {}

    func call(arguments: Arguments) async throws -> [String] {
      [String](repeating: "twelve bytes", count: count)
    }
  }

  @Test func `has its outputs in the order of the calls, whichever ends first`() async throws {
    let (log, second) = (Log(), Meeting(of: 1))
    let slow = Doing("slow") { _ in
      await second.wait()
      log.add("slow")
      return "slow"
    }
    let fast = Doing("fast") { _ in
      log.add("fast")
      second.come()
      return "fast"
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("slow"), .init("fast")]), .text("Done.")),
      tools: [fast, slow]
    )
    try await session.respond(to: "Go")
    #expect(log.lines == ["fast", "slow"])
    #expect(outputs(session).map(\.toolName) == ["slow", "fast"])
    #expect(outputs(session).map(\.segments.joinedText) == ["slow", "fast"])
  }

  @Test func `records each output when those before it are recorded, while later calls run`()
    async throws
  {
    let kept = Meeting(of: 1)
    var host = RecordingHost()
    host.repeatedCalls = [0]
    host.afterRecord = { if $0.outline == "output: fast" { kept.come() } }
    let log = host.log
    let fast = Doing("fast") { _ in "fast" }
    let slow = Doing("slow") { _ in
      await kept.wait()
      log.add("slow ends")
      return "slow"
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(
        .calls([.init("fast"), .init("fast"), .init("slow"), .init("fast")]),
        .text("Done.")
      ),
      tools: [fast, slow]
    )
    _ = try await session.run(.prompt(.init(segments: [])), host: host)
    let round = log.lines.filter { !$0.hasPrefix("early ") }
      .drop { !$0.hasPrefix("record calls") }.dropFirst().prefix(5)
    #expect(round.first?.contains(#""status": "repeated""#) == true, "\(round)")
    #expect(
      round.dropFirst() == [
        "record output: fast", "slow ends", "record output: slow", "record output: fast",
      ]
    )
  }

  @Test func `cancels what still runs when an output cannot be recorded, and counts what it used`()
    async throws
  {
    var host = RecordingHost()
    host.afterRecord = { if case .toolOutput = $0 { throw Mishap() } }
    let inner = LanguageModelSession(model: ScriptedLanguageModel(.text("one two three")))
    let log = Log()
    let slow = Doing("slow") { _ in
      await Meeting(of: 1).wait()
      log.add("cancelled: \(Task.isCancelled)")
      return try await Task { try await inner.respond(to: "Go").content }.value
    }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.calls([.init("plain"), .init("slow")])),
      tools: [Plain(), slow]
    )
    await #expect(throws: Mishap.self) {
      try await session.run(.prompt(.init(segments: [])), host: host)
    }
    #expect(log.lines == ["cancelled: true"])
    let used = "count \(inner.usage.totalTokenCount)"
    #expect(host.log.lines.suffix(2) == ["record output: plain done", used])
    #expect(inner.usage.totalTokenCount > 0)
    #expect(session.usage.totalTokenCount > inner.usage.totalTokenCount)
  }

  @Test func `gives each output the identity of its call`() async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(
        .calls([.init("plain"), .init("plain")]),
        .call("plain"),
        .text("Done.")
      ),
      tools: [Plain()]
    )
    try await session.respond(to: "Go")
    #expect(outputs(session).map(\.id) == calls(session).map(\.id))
    #expect(Set(outputs(session).map(\.id)).count == 3)
    #expect(
      session.transcript.outline == [
        "instructions: ", "prompt: Go", "calls: plain{}\nplain{}", "output: plain done",
        "output: plain done", "calls: plain{}", "output: plain done", "response: Done.",
      ]
    )
  }

  @Test(arguments: [
    ("nothing", "{}", "There is no tool named 'nothing'. Available tools: count, pass_baton, ask."),
    ("count", "{}", "The arguments of 'count' do not fit: The content has no property 'to'."),
    (
      "count", #"{"to": "x"}"#,
      "The arguments of 'count' do not fit: The property 'to' is not an Int."
    ),
    ("count", #"{"to": 3"#, "The arguments of 'count' are not complete JSON."),
    ("count", "to=3", "The arguments of 'count' are not complete JSON. You wrote: to=3"),
    ("count", "null", "The arguments of 'count' do not fit: The content has no property 'to'."),
    (
      "count", "[3]",
      "The arguments of 'count' do not fit: The content is not an object. You wrote: [3]"
    ),
    (
      "pass_baton", "{}",
      "The arguments of 'pass_baton' do not fit: The content has no property 'to'."
    ),
    (
      "ask", #"{"question": 1}"#,
      "The arguments of 'ask' do not fit: The property 'question' is not a String."
    ),
  ])
  func `tells the model of a call that it got wrong, and goes on`(
    name: String,
    arguments: String,
    problem: String
  ) async throws {
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.call(name, arguments), .text("Sorry.")),
      tools: [
        Counting(), PassBaton(to: "a"), PhoneAFriend("b", name: "ask", description: "Asks."),
      ]
    )
    let response = try await OrchestrationContext.$current.withValue(FakeOrchestration()) {
      try await session.respond(to: "Go")
    }
    #expect(response.content == "Sorry.")
    #expect(outputs(session).map(\.segments.joinedText) == [problem])
    #expect(calls(session).map(\.id) == outputs(session).map(\.id))
  }
}
