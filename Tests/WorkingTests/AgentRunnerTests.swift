import AgentKit
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct `The runner of an agent` {
  @Test func `asks before its request, and records the answer before the turn ends`() async throws {
    let messages = try await WorkerTurn.messages(of: Answering())
    #expect(messages.map(\.outline) == ["admission", "record Ok (1)", "answered"])
  }

  @Test func `has the client perform its functions, after its own tools and in one request`()
    async throws
  {
    let tools = ["look", "edit"].map { name in
      ClientTool(
        name: name,
        description: "",
        parameters: JSONSchema(GeneratedContent(properties: [:]))
      )
    }
    let messages = try await WorkerTurn.messages(
      of: Showing(),
      options: TurnOptions(clientTools: tools)
    )
    #expect(
      messages.map(\.outline).filter { !$0.contains("{}") } == [
        "admission", "client 2", "record performed", "record performed then round", "admission",
        "record Ok (1)", "answered",
      ]
    )
  }

  @Test func `records what a hook's session has used before it asks`() async throws {
    let messages = try await WorkerTurn.messages(of: Asking())
    #expect(
      messages.map(\.outline) == ["state (3)", "admission", "record Ok (1)", "answered"]
    )
    let usage = messages.first?.recordedState?.usage
    #expect(usage?.seconds == 0, "it was not measured")
    #expect(usage?.contextSize == nil)
  }

  @Test func `records what a hook has rewritten beside what the hook's session has used`()
    async throws
  {
    let messages = try await WorkerTurn.messages(
      of: Summarizing(),
      after: [.said("One"), .answered("Two"), .said("Three")]
    )
    #expect(
      messages.map(\.outline) == [
        "state (1)", "state history", "admission", "record Ok (1)", "answered",
      ]
    )
  }

  @Test func `records what a turn has used that fails, and nothing of its history`() async throws {
    let messages = try await WorkerTurn.messages(of: Failing())
    #expect(messages.map(\.outline) == ["state (3)", "failed"])
  }

  @Test func `records what a tool's session has used that ends the turn`() async throws {
    let messages = try await WorkerTurn.messages(of: Solving())
    #expect(
      messages.map(\.outline) == [
        "admission", "record Solve{} (1)", "state (3)", "record The turn ends here. + 42 (0)",
        "finalAnswer",
      ]
    )
  }

  @Test func `gives the call of a final answer an output, whatever a hook has rewritten`()
    async throws
  {
    // What the hook writes after the first output is recorded before the second.
    let messages = try await WorkerTurn.messages(of: Forgetting(looks: 2))
    #expect(
      messages.map(\.outline).suffix(2) == ["record The turn ends here. + 42 (0)", "finalAnswer"]
    )
  }

  @Test func `records nothing of a history that a final answer has reverted`() async throws {
    let messages = try await WorkerTurn.messages(of: Forgetting(looks: 1))
    #expect(!messages.contains { $0.outline.contains("history") })
    #expect(
      messages.map(\.outline).suffix(2) == ["record The turn ends here. + 42 (0)", "finalAnswer"]
    )
  }

  @Test(arguments: [false, true])
  func `records what the end of a turn has written to the history, also after a final answer`(
    isFinal: Bool
  ) async throws {
    let messages = try await WorkerTurn.messages(of: Trimming(isFinal: isFinal))
    let ending =
      isFinal
      ? ["record The turn ends here. + 42 (0)", "finalAnswer"] : ["record Ok (1)", "answered"]
    #expect(messages.map(\.outline).suffix(3) == [ending[0], "state history", ending[1]])
    let history = messages.dropLast().last?.recordedState?.history
    // All but the answer: the prompt, and the call with its output.
    #expect(history?.removedCount == (isFinal ? 3 : 1))
    #expect(history?.added.isEmpty == true)
  }

  @Test func `finishes the calls that it is told of, and none that only the history shows as open`()
    async throws
  {
    let arguments = GeneratedContent(properties: [:])
    let shown = Transcript.ToolCall(id: "1", toolName: "Look", arguments: arguments)
    let told = Transcript.ToolCall(id: "2", toolName: "Look", arguments: arguments)
    let messages = try await WorkerTurn.messages(
      of: Answering(),
      after: [.said("Go"), .toolCalls(.init([shown]))],
      finishing: [told]
    )
    let outputs = messages.flatMap(\.recordedEntries).compactMap { entry -> String? in
      if case .toolOutput(let output) = entry { output.id } else { nil }
    }
    #expect(outputs == ["2"])
    #expect(messages.map(\.outline).suffix(3) == ["admission", "record Ok (1)", "answered"])
  }

  @Test func `takes a final answer from a tool of the agent's, and from none of another session`()
    async throws
  {
    let messages = try await WorkerTurn.messages(of: Misled())
    #expect(messages.map(\.outline) == ["state (4)", "failed"])
  }
}

private func ask() async throws {
  let session = LanguageModelSession(model: ScriptedLanguageModel(.text("one two three")))
  try await session.respond(to: "Go")
}

private struct Answering: Agent {
  let name = "answering"
  let description = "answers"
  let model = ScriptedLanguageModel(.text("Ok"))

  var body: some DynamicProfile { Profile {}.model(model) }
}

private struct Asking: Agent {
  let name = "asking"
  let description = "asks before it answers"
  let model = ScriptedLanguageModel(.text("Ok"))

  var body: some DynamicProfile {
    Profile {}.onPrompt { try await ask() }.model(model)
  }
}

private struct Summarizing: Agent {
  let name = "summarizing"
  let description = "remembers the gist"
  let model = ScriptedLanguageModel(.text("Ok"))

  var body: some DynamicProfile {
    Profile {}
      .summarizeHistory(entryThreshold: 2, model: ScriptedLanguageModel(.text("Short.")))
      .model(model)
  }
}

private struct Failing: Agent {
  struct Mishap: Error {}

  @SessionProperty(\.history) var history
  let name = "failing"
  let description = "fails"

  var body: some DynamicProfile {
    Profile {}
      .onPrompt {
        history = []
        try await ask()
        throw Mishap()
      }
      .model(ScriptedLanguageModel())
  }
}

private struct Solve: Tool {
  @Generable
  struct Arguments {}

  let description = "Solves."

  func call(arguments: Arguments) async throws -> Never {
    try await ask()
    throw FinalAnswer("42")
  }
}

private struct Solving: Agent {
  let name = "solving"
  let description = "solves"
  let model = ScriptedLanguageModel(.call("Solve"))

  var body: some DynamicProfile { Profile { Solve() }.model(model) }
}

private struct Look: Tool {
  @Generable
  struct Arguments {}

  let description = "Looks."

  func call(arguments: Arguments) async throws -> String { "seen" }
}

/// Forgets the history after each output of a round that ends with a final answer.
private struct Forgetting: Agent {
  @SessionProperty(\.history) var history
  let name = "forgetting"
  let description = "forgets"
  let model: ScriptedLanguageModel

  init() { self.init(looks: 1) }

  init(looks: Int) {
    let calls = Array(repeating: "Look", count: looks) + ["Solve"]
    model = ScriptedLanguageModel(.calls(calls.map { .init($0) }))
  }

  var body: some DynamicProfile {
    Profile {
      Look()
      Solve()
    }
    .onToolOutput { history = [] }
    .model(model)
  }
}

/// Keeps nothing of a turn but its answer.
private struct Trimming: Agent {
  @SessionProperty(\.history) var history
  let name = "trimming"
  let description = "keeps the answer"
  let model: ScriptedLanguageModel

  init() { self.init(isFinal: false) }

  init(isFinal: Bool) {
    let step: ScriptedLanguageModel.Step = isFinal ? .call("Solve") : .text("Ok")
    model = ScriptedLanguageModel(step)
  }

  var body: some DynamicProfile {
    Profile { Solve() }
      .onExit { _ in history = history.suffix(1) }
      .model(model)
  }
}

private struct Misled: Agent {
  let name = "misled"
  let description = "listens to another's answer"

  var body: some DynamicProfile {
    Profile {}
      .onPrompt {
        let model = ScriptedLanguageModel(.call("Solve"))
        try await LanguageModelSession(model: model, tools: [Solve()]).respond(to: "Go")
      }
      .model(ScriptedLanguageModel())
  }
}

/// Calls functions of the client.
private struct Showing: Agent {
  let name = "showing"
  let description = "shows"

  static let model = ScriptedLanguageModel(
    .calls([.init("look"), .init("edit")]),
    .text("Ok")
  )

  var body: some DynamicProfile {
    Profile {}.model(Self.model).clientTools()
  }
}
