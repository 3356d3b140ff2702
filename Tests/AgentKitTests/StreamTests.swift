import AgentKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A streamed answer` {
  @Test func `comes in snapshots of the whole so far`() async throws {
    let model = DirectModel { channel in
      for part in ["One", " two", " three"] { await channel.send(part) }
    }
    let session = LanguageModelSession(model: model)
    var texts: [String] = []
    for try await snapshot in session.streamResponse(to: "Count") {
      #expect(snapshot.rawContent.jsonString == "\"\(snapshot.content)\"")
      texts.append("\(snapshot.content) \(snapshot.rawContent.isComplete)")
    }
    #expect(
      texts == ["One false", "One two false", "One two three false", "One two three true"]
    )
    #expect(session.transcript.last?.outline == "response: One two three")
    #expect(!session.isResponding)
  }

  @Test func `of a number is not complete before its end, which comes with what was used`()
    async throws
  {
    let model = ScriptedLanguageModel(.text("12"), .text(#"{"name": "Ann", "age": 42}"#))
    let session = LanguageModelSession(model: model)
    var numbers: [Bool] = []
    for try await snapshot in session.streamResponse(to: "How many?", generating: Int.self) {
      numbers.append(snapshot.rawContent.isComplete)
      #expect(!snapshot.rawContent.isComplete || snapshot.content == 12)
    }
    #expect(numbers.last == true)
    #expect(!numbers.dropLast().contains(true))
    let stream = session.streamResponse(to: "Who?", generating: Person.self)
    var used = LanguageModelSession.Usage()
    for try await snapshot in stream { used = snapshot.usage }
    #expect(used.output.totalTokenCount > 0)
    #expect(try await stream.collect().usage == used)
  }

  @Test func `of a number or a case shows no value that it does not become`() async throws {
    func model(_ parts: String...) -> DirectModel {
      DirectModel { channel in for part in parts { await channel.send(part) } }
    }
    var numbers: [Double] = []
    let pi = LanguageModelSession(model: model("3", ".", "1", "4"))
    for try await snapshot in pi.streamResponse(to: "Pi?", generating: Double.self) {
      numbers.append(snapshot.content)
    }
    #expect(numbers == [3.14])
    var answers: [Certainty] = []
    let maybe = LanguageModelSession(model: model("\"no", "t sure", "\""))
    for try await snapshot in maybe.streamResponse(to: "Is it?", generating: Certainty.self) {
      answers.append(snapshot.content)
    }
    #expect(answers == [.unsure])
  }

  @Test func `has the same identities in its snapshots and when it is collected`() async throws {
    let model = ScriptedLanguageModel(.text(#"{"name": "Ann", "age": 42}"#))
    let stream = LanguageModelSession(model: model)
      .streamResponse(to: "Who?", generating: Person.self)
    var seen: Set<GenerationID?> = []
    for try await snapshot in stream {
      seen.formUnion([snapshot.content.id, snapshot.rawContent.id])
    }
    let whole = try await stream.collect()
    #expect(seen == [whole.rawContent.id])
  }

  @Test func `that is not read keeps few of its snapshots, and the last`() async throws {
    let model = DirectModel { channel in
      for _ in 0..<2_000 { await channel.send("word ") }
    }
    let stream = LanguageModelSession(model: model).streamResponse(to: "Go on")
    let whole = try await stream.collect().content
    var snapshots: [String] = []
    for try await snapshot in stream { snapshots.append(snapshot.content) }
    #expect(snapshots.count < 100)
    #expect(snapshots.last == whole)
  }

  @Test func `may be collected, also after its snapshots, and more than once`() async throws {
    let model = ScriptedLanguageModel(.call("plain"), .text("All of it."))
    let session = LanguageModelSession(model: model, tools: [Plain()])
    let stream = session.streamResponse { "Go" }
    for try await _ in stream {}
    for _ in 1...2 {
      let response = try await stream.collect()
      #expect(response.content == "All of it.")
      #expect(
        response.transcriptEntries.map(\.outline) == [
          "calls: plain{}", "output: plain done", "response: All of it.",
        ]
      )
      #expect(response.usage == session.usage)
    }
  }

  @Test func `has begun when its stream is there`() async throws {
    let session = LanguageModelSession(model: ScriptedLanguageModel(.text("First.")))
    let stream = session.streamResponse(to: "First")
    #expect(session.isResponding)
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "Second")
    }
    #expect(try await stream.collect().content == "First.")
  }

  @Test func `ends with the error of its turn`() async {
    let tool = Doing("fail") { _ in throw Mishap() }
    let session = LanguageModelSession(model: ScriptedLanguageModel(.call("fail")), tools: [tool])
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      for try await _ in session.streamResponse(to: "Go") {}
    }
    #expect(session.transcript.outline == ["instructions: "])
  }

  @Test func `is cancelled when its reader turns away`() async {
    let session = LanguageModelSession(model: endless, instructions: "Rules.")
    let stream = session.streamResponse(to: "Go")
    var iterations = 0
    do {
      for try await snapshot in stream {
        #expect(snapshot.content == "Begun")
        iterations += 1
        break
      }
    } catch {
      Issue.record(error)
    }
    #expect(iterations == 1)
    await #expect(throws: CancellationError.self) { try await stream.collect() }
    #expect(session.transcript.outline == ["instructions: Rules."])
    #expect(!session.isResponding)
  }

  @Test func `is cancelled when it is released`() async {
    let (begun, ended) = (Meeting(of: 1), Meeting(of: 1))
    let model = DirectModel { _ in
      begun.come()
      await Meeting(of: 1).wait()
      ended.come()
    }
    var stream: LanguageModelSession.ResponseStream? = LanguageModelSession(model: model)
      .streamResponse(to: "Go")
    await begun.wait()
    #expect(stream != nil)
    stream = nil
    await ended.wait()
    #expect(!Task.isCancelled, "The turn did not end by itself.")
  }

  @Test func `is cancelled with the task that collects it`() async {
    let (session, begun) = (LanguageModelSession(model: endless), Meeting(of: 1))
    let collector = Task {
      let stream = session.streamResponse(to: "Go")
      begun.come()
      return try await stream.collect().content
    }
    await begun.wait()
    collector.cancel()
    await #expect(throws: CancellationError.self) { try await collector.value }
    #expect(!session.isResponding)
  }

  /// A model that begins, and then sends nothing more until it is cancelled.
  private var endless: DirectModel {
    DirectModel.endless("Begun")
  }
}

@Generable
private enum Certainty: String {
  case no
  case unsure = "not sure"
}
