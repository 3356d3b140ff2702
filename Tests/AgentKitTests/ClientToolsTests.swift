import AgentKit
import Synchronization
import Testing

/// Functions that the client of a turn performs.
@Suite(.timeLimit(.minutes(5)))
struct `Functions of a client` {
  private static func function(
    _ name: String,
    _ schema: String = #"{"type":"object","properties":{}}"#
  ) throws -> ClientFunction {
    ClientFunction(
      ClientTool(name: name, description: "Does.", parameters: try JSONSchema(json: schema))
    )
  }

  private struct Taking: LanguageModelSession.DynamicProfile {
    let model: ScriptedLanguageModel
    var tool: Doing?
    var takes = true

    var body: some LanguageModelSession.DynamicProfile {
      if takes {
        LanguageModelSession.Profile { if let tool { tool } }.model(model).clientTools()
      } else {
        LanguageModelSession.Profile { if let tool { tool } }.model(model)
      }
    }
  }

  private func run(_ profile: Taking, _ host: ClientHost) async throws -> [String] {
    let session = LanguageModelSession(profile: profile)
    let prompt = Transcript.Prompt(segments: [.text(.init(content: "Go"))])
    return try await session.run(.prompt(prompt), host: host).entries.map(\.outline)
  }

  @Test func `come after the agent's own, and only where the profile takes them`() async throws {
    let seen = Mutex<[[String]]>([])
    let model = ScriptedLanguageModel { request in
      seen.withLock { $0.append(request.enabledToolDefinitions.map(\.name)) }
      return .text("Done.")
    }
    let host = ClientHost(functions: [try Self.function("look")])
    let own = Doing("work") { _ in "worked" }
    _ = try await run(Taking(model: model, tool: own), host)
    _ = try await run(Taking(model: model, tool: own, takes: false), host)
    #expect(seen.withLock { $0 } == [["work", "look"], ["work"]])
  }

  @Test func `are called together, when all other calls of the round have returned`() async throws {
    let log = Log()
    let own = Doing("work") { _ in
      log.add("work")
      return "worked"
    }
    let host = ClientHost(
      functions: [try Self.function("look"), try Self.function("edit")],
      perform: { calls in
        log.add("client " + calls.map(\.toolName).joined(separator: " "))
        return Dictionary(uniqueKeysWithValues: calls.map { ($0.id, "did \($0.toolName)") })
      }
    )
    let model = ScriptedLanguageModel(
      .calls([.init("look"), .init("work"), .init("edit"), .init("gone")]),
      .text("Done.")
    )
    let outline = try await run(Taking(model: model, tool: own), host)
    #expect(log.lines == ["work", "client look edit"])
    #expect(
      outline.dropFirst().prefix(3) == ["output: did look", "output: worked", "output: did edit"]
    )
    #expect(outline.contains { $0.contains("no tool named 'gone'") }, "\(outline)")
    #expect(outline.last == "response: Done.")
    // What an own tool has returned behind a call that waits is stored before the wait.
    #expect(host.log.lines == ["early output: worked"])
  }

  @Test func `are not called with arguments that do not follow their schema`() async throws {
    let log = Log()
    let host = ClientHost(
      functions: [
        try Self.function(
          "edit",
          #"{"type":"object","properties":{"text":{"type":"string","minLength":3}},"required":["text"]}"#
        )
      ],
      perform: { calls in
        log.add(calls.map(\.arguments.jsonString).joined())
        return Dictionary(uniqueKeysWithValues: calls.map { ($0.id, "done") })
      }
    )
    let model = ScriptedLanguageModel(
      .call("edit", #"{"text":"ab"}"#),
      .call("edit", #"{"text":"abc"}"#),
      .text("Done.")
    )
    let outline = try await run(Taking(model: model), host)
    #expect(log.lines == [#"{"text": "abc"}"#])
    #expect(outline.contains { $0.contains("has fewer than 3 characters") }, "\(outline)")
  }

  @Test func `of which one has the name of an own tool end the turn`() async throws {
    let host = ClientHost(functions: [try Self.function("work")])
    let own = Doing("work") { _ in "worked" }
    let model = ScriptedLanguageModel(.text("Done."))
    await #expect(throws: (any Error).self) {
      try await run(Taking(model: model, tool: own), host)
    }
    #expect(
      try await run(Taking(model: model, tool: own, takes: false), host) == ["response: Done."]
    )
  }

  @Test func `are declared by the agent`() {
    struct Clerk: Agent {
      let name = "clerk"
      let description = "files"
      var takes = true

      var body: some DynamicProfile {
        Taking(model: ScriptedLanguageModel(.text("Done.")), takes: takes)
      }
    }
    #expect(AgentDescription(Clerk(takes: true)).takesClientTools)
    #expect(!AgentDescription(Clerk(takes: false)).takesClientTools)
  }
}

/// A host of a turn whose client performs functions.
private struct ClientHost: LenientHost {
  let functions: [ClientFunction]
  var perform: @Sendable ([Transcript.ToolCall]) -> [String: String] = { _ in [:] }
  var log = Log()

  var clientFunctions: [ClientFunction] { functions }

  func performByClient(
    _ calls: [Transcript.ToolCall]
  ) async throws -> [String: [Transcript.Segment]] {
    perform(calls).mapValues { [.text(.init(content: $0))] }
  }

  func recordEarly(_ output: Transcript.ToolOutput) async throws {
    log.add("early \(Transcript.Entry.toolOutput(output).outline)")
  }
}
