import AgentKit
import Testing
import Wire

/// The last output of a round is recorded together with the question whether the model may be asked
/// again.
@Suite(.timeLimit(.minutes(5)))
struct AdmissionWithRecordTests {
  private static func outlines(of agent: sending some Agent) async throws -> [String] {
    try await WorkerTurn.messages(of: agent, admitsWithRecords: true).map(\.outline)
  }

  @Test func `The answer about a round comes with the reply to the last output`() async throws {
    let outlines = try await Self.outlines(of: Looking())
    // Either call may return first.
    #expect(
      outlines.filter { !$0.contains("{}") && !$0.hasPrefix("early") } == [
        "admission", "record seen", "record seen then round", "record Ok (1)", "answered",
      ]
    )
  }

  @Test func `What a hook uses gives an admission back, and another is asked for`() async throws {
    let outlines = try await Self.outlines(of: Asking())
    #expect(
      outlines == [
        "admission", "record Look{} (1)", "record seen then round", "unused", "state (3)",
        "admission", "record Ok (1)", "answered",
      ]
    )
  }

  @Test func `A hook that throws gives an admission back`() async throws {
    let outlines = try await Self.outlines(of: Throwing())
    #expect(
      outlines == [
        "admission", "record Look{} (1)", "record seen then round", "unused", "failed",
      ]
    )
  }

  @Test func `An agent that has passed the baton asks for no round`() async throws {
    let messages = try await WorkerTurn.messages(of: Passing(), admitsWithRecords: true)
    #expect(!messages.contains { $0.outline.contains("round") })
    #expect(messages.last?.outline == "passed")
  }
}

private struct Look: Tool {
  @Generable
  struct Arguments {}

  let description = "Looks."

  func call(arguments: Arguments) async throws -> String { "seen" }
}

private struct Looking: Agent {
  let name = "looking"
  let description = "looks twice at once"
  let model = ScriptedLanguageModel(.calls([.init("Look"), .init("Look")]), .text("Ok"))

  var body: some DynamicProfile { Profile { Look() }.model(model) }
}

private struct Asking: Agent {
  let name = "asking"
  let description = "asks a model about what it has seen"
  let model = ScriptedLanguageModel(.call("Look"), .text("Ok"))

  var body: some DynamicProfile {
    Profile { Look() }
      .onToolOutput {
        let session = LanguageModelSession(model: ScriptedLanguageModel(.text("one two three")))
        try await session.respond(to: "Go")
      }
      .model(model)
  }
}

private struct Throwing: Agent {
  struct Mishap: Error {}

  let name = "throwing"
  let description = "does not like what it has seen"
  let model = ScriptedLanguageModel(.call("Look"), .text("Ok"))

  var body: some DynamicProfile {
    Profile { Look() }.onToolOutput { throw Mishap() }.model(model)
  }
}

private struct Passing: Agent {
  let name = "passing"
  let description = "passes the baton"
  let model = ScriptedLanguageModel(.call("pass_baton", #"{"to": "b"}"#), .text("Ok"))

  var body: some DynamicProfile { Profile { PassBaton(to: "b") }.model(model) }
}
