import AgentKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `A refused call` {
  private let prompt = TurnStart.prompt(.init(segments: [.text(.init(content: "Go"))]))

  private func acting(_ log: Log) -> Doing {
    Doing("act") { name in
      log.add("act \(name)")
      return "acted \(name)"
    }
  }

  private func model(_ arguments: String...) -> ScriptedLanguageModel {
    ScriptedLanguageModel(
      .calls(arguments.map { .init("act", #"{"x": "\#($0)"}"#) }),
      .text("Done.")
    )
  }

  @Test func `is told to the model with its reason, and the others of its round are made`()
    async throws
  {
    let log = Log()
    let profile = LanguageModelSession.Profile { acting(log) }
      .onToolCall { log.add("inner \($0.arguments.jsonString)") }
      .onToolCall { call in
        guard call.arguments.jsonString.contains("b") else { return }
        throw ToolCallRejection("Not b.")
      }
      .model(model("a", "b", "c"))
    let session = LanguageModelSession(profile: profile)
    let answer = try await session.respond(to: "Go").content
    #expect(answer == "Done.")
    // The outer hook refused the call, so the inner one does not receive it.
    #expect(
      log.lines == [#"inner {"x": "a"}"#, #"inner {"x": "c"}"#, "act a", "act c"]
        || log.lines == [#"inner {"x": "a"}"#, #"inner {"x": "c"}"#, "act c", "act a"]
    )
    #expect(
      session.transcript.outline.filter { $0.hasPrefix("output") } == [
        "output: acted a",
        #"output: {"status": "rejected", "tool": "act", "reason": "Not b."}"#,
        "output: acted c",
      ]
    )
    guard case .toolOutput(let output) = session.transcript[4],
      case .structure(let segment) = output.segments.first
    else {
      Issue.record("The refusal is not structured.")
      return
    }
    #expect(try segment.content.value(String.self, forProperty: "status") == "rejected")
  }

  @Test func `may be refused by the tool itself`() async throws {
    let tool = Doing("act") { _ in throw ToolCallRejection("Too late.") }
    let session = LanguageModelSession(
      model: ScriptedLanguageModel(.call("act"), .text("Ok.")),
      tools: [tool]
    )
    #expect(try await session.respond(to: "Go").content == "Ok.")
    #expect(
      session.transcript.outline[3]
        == #"output: {"status": "rejected", "tool": "act", "reason": "Too late."}"#
    )
  }

  @Test func `that a hook refuses with another error ends the turn, and no tool runs`()
    async throws
  {
    let log = Log()
    let profile = LanguageModelSession.Profile { acting(log) }
      .onToolCall { call in
        if call.arguments.jsonString.contains("b") { throw Mishap() }
      }
      .model(model("a", "b"))
    let session = LanguageModelSession(profile: profile)
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Go")
    }
    #expect(log.lines.isEmpty)
  }

  @Test func `waits for a person, where the tool or the profile says so`() async throws {
    let log = Log()
    let careful = Careful(log: log)
    let asked = Asking { call in
      log.add("asked \(call.toolName)\(call.arguments.jsonString)")
      return call.arguments.jsonString.contains("b") ? .denied("Not b.") : .approved
    }
    let profile = LanguageModelSession.Profile {
      careful
      acting(log)
    }
    .requiresApproval { $0.arguments.jsonString.contains("b") }
    .model(
      ScriptedLanguageModel(
        .call("Careful", #"{"x": "a"}"#),
        .call("act", #"{"x": "a"}"#),
        .call("act", #"{"x": "b"}"#),
        .text("Done.")
      )
    )
    let session = LanguageModelSession(profile: profile)
    _ = try await session.run(prompt, host: asked)
    #expect(
      log.lines == [
        #"asked Careful{"x": "a"}"#, "careful", "act a", #"asked act{"x": "b"}"#,
      ]
    )
    #expect(
      session.transcript.outline[7]
        == #"output: {"status": "denied", "tool": "act", "reason": "Not b."}"#
    )
  }

  @Test func `is one that needs approval, in a session on its own`() async throws {
    let log = Log()
    let profile = LanguageModelSession.Profile { acting(log) }
      .requiresApproval().model(model("a"))
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "Go")
    #expect(log.lines.isEmpty)
    #expect(session.transcript.outline[3].contains("No one is available to approve it."))
  }

  @Test func `is asked about once a call, several at the same time`() async throws {
    let meeting = Meeting(of: 2)
    let asked = Asking { _ in
      await meeting.join()
      return .approved
    }
    let log = Log()
    let profile = LanguageModelSession.Profile { acting(log) }
      .requiresApproval().requiresApproval().model(model("a", "b"))
    _ = try await LanguageModelSession(profile: profile).run(prompt, host: asked)
    #expect(asked.count == 2)
    #expect(Set(log.lines) == ["act a", "act b"])
  }

  private struct Careful: Tool {
    typealias Arguments = Doing.Arguments
    let log: Log
    let description = "Acts with care."
    let requiresApproval = true

    func call(arguments: Arguments) -> String {
      log.add("careful")
      return "done"
    }
  }

  /// A host with a person to ask.
  private final class Asking: LenientHost {
    private let answer: @Sendable (Transcript.ToolCall) async -> Approval
    private let asked = Mutex(0)

    init(_ answer: @escaping @Sendable (Transcript.ToolCall) async -> Approval) {
      self.answer = answer
    }

    var count: Int { asked.withLock { $0 } }

    func approve(_ call: Transcript.ToolCall) async throws -> Approval {
      asked.withLock { $0 += 1 }
      return await answer(call)
    }
  }
}
