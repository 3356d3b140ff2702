import AgentKit
import Testing
import Wire

/// Only calls that the coordinator has journaled can phone a friend or pass the baton.
@Suite(.timeLimit(.minutes(5))) struct `A session that an agent's code runs` {
  @Test func `in a tool phones for the tool's call while another has a friend on the phone`()
    async throws
  {
    let messages = try await WorkerTurn.messages(of: Delegating())
    #expect(
      messages.map(\.outline).prefix(3) == ["admission", "record Delegate{} (1)", "phone title"]
    )
    let callID = try #require(callIDs(messages).first)
    #expect(messages.compactMap(\.phoningCallID) == [callID, callID, callID])
    #expect(messages.last?.outline == "answered")
  }

  private func callIDs(_ messages: [FromWorker]) -> [String] {
    messages.flatMap(\.recordedEntries).flatMap { entry -> [String] in
      if case .toolCalls(let calls) = entry { calls.map(\.id) } else { [] }
    }
  }

  @Test func `in a tool phones also after a hook has forgotten the tool's call`() async throws {
    let messages = try await WorkerTurn.messages(of: Forgetful())
    #expect(messages.contains { $0.outline == "phone title" })
    #expect(messages.last?.outline == "answered")
  }

  @Test func `in a hook can neither phone nor pass the baton, and its model reads why`()
    async throws
  {
    let messages = try await WorkerTurn.messages(of: Hooked())
    #expect(!messages.contains { $0.outline.hasPrefix("phone") })
    #expect(!messages.contains { $0.outline.hasPrefix("baton") })
    #expect(messages.last?.outline == "answered")
    let states = messages.compactMap(\.recordedState)
    let outputs = try #require(states.compactMap { $0.properties["outputs"] }.first)
    #expect(outputs.contains("title could not answer: a session that runs outside a tool"))
    let refusal = "A session that runs outside a tool, for example in a hook, cannot pass"
    #expect(outputs.contains(refusal))
  }
}

extension FromWorker {
  /// The call for which the message phones a friend.
  fileprivate var phoningCallID: String? {
    guard case .request(_, _, .hostTool(let callID, .phone)) = self else { return nil }
    return callID
  }
}

extension SessionPropertyValues {
  /// What the model of a session run by a hook has read.
  @SessionPropertyEntry fileprivate var outputs: [String] = []
  /// How often a hook has forgotten the history.
  @SessionPropertyEntry fileprivate var forgotten: Int = 0
}

private let friend = PhoneAFriend("title", name: "ask", description: "Asks for a title.")

private struct Delegating: Agent {
  struct Delegate: Tool {
    @Generable
    struct Arguments {}

    let description = "Has other sessions ask."

    func call(arguments: Arguments) async throws -> String {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            let model = ScriptedLanguageModel(
              .call("ask", #"{"question": "why"}"#),
              .text("Asked.")
            )
            try await LanguageModelSession(model: model, tools: [friend]).respond(to: "Go")
          }
        }
        try await group.waitForAll()
      }
      return "Asked."
    }
  }

  let name = "delegating"
  let description = "delegates"
  let model = ScriptedLanguageModel(.call("Delegate"), .text("Ok"))

  var body: some DynamicProfile { Profile { Delegate() }.model(model) }
}

private struct Forgetful: Agent {
  struct Look: Tool {
    @Generable
    struct Arguments {}

    let description = "Looks."

    func call(arguments: Arguments) async throws -> String { "seen" }
  }

  struct Delegate: Tool {
    @Generable
    struct Arguments {}

    @SessionProperty(\.forgotten) var forgotten
    let description = "Has another session ask, late."

    func call(arguments: Arguments) async throws -> String {
      // What the hook writes after the first output is recorded before the second.
      while forgotten < 2 { try await Task.sleep(for: .milliseconds(1)) }
      let model = ScriptedLanguageModel(.call("ask", #"{"question": "why"}"#), .text("Asked."))
      return try await LanguageModelSession(model: model, tools: [friend]).respond(to: "Go").content
    }
  }

  @SessionProperty(\.history) var history
  @SessionProperty(\.forgotten) var forgotten
  let name = "forgetful"
  let description = "forgets"
  let model = ScriptedLanguageModel(
    .calls([.init("Look"), .init("Look"), .init("Delegate")]),
    .text("Ok")
  )

  var body: some DynamicProfile {
    Profile {
      Look()
      Delegate()
    }
    .onToolOutput {
      history = []
      forgotten += 1
    }
    .model(model)
  }
}

private struct Hooked: Agent {
  @SessionProperty(\.outputs) var outputs
  let name = "hooked"
  let description = "asks too early"
  let model = ScriptedLanguageModel(.text("Ok"))

  var body: some DynamicProfile {
    Profile {}
      .onPrompt {
        let model = ScriptedLanguageModel(
          .calls([.init("ask", #"{"question": "why"}"#), .init("pass_baton", #"{"to": "b"}"#)]),
          .text("So be it.")
        )
        let session = LanguageModelSession(model: model, tools: [friend, PassBaton(to: "b")])
        try await session.respond(to: "Go")
        outputs = session.transcript.map(\.text)
      }
      .model(model)
  }
}
