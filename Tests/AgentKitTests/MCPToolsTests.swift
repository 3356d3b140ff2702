import Testing
import Transcripts

@testable import AgentKit

private func definition(
  _ tool: String,
  of server: String = "git",
  _ parameters: String = #"{"type": "object", "properties": {}}"#,
  isIdempotent: Bool = false
) -> MCPToolDefinition {
  MCPToolDefinition(
    name: "\(server)_\(tool)",
    server: server,
    tool: tool,
    description: "Does \(tool).",
    parameters: parameters,
    isIdempotent: isIdempotent
  )
}

private struct Historian: Agent {
  let name = "historian"
  let description = "knows history"

  var body: some DynamicProfile {
    Profile {
      Instructions("Look it up.")
      PassBaton(to: "coach")
      MCPTools("git", exclude: ["push"])
      MCPTools("time", include: ["now"])
      PhoneAFriend("title", name: "title", description: "Finds a title.")
    }
  }
}

// The tools that a process knows are shared by all of its sessions.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `The tools of MCP servers` {
  private static let known = [
    definition("log"), definition("push"), definition("now", of: "time"),
    definition("zone", of: "time"), definition("secret", of: "vault"),
  ]

  private static let offered = [
    "pass_baton", "git_log", "read_output", "time_now", "title",
  ]

  @Test func `are declared by an agent before any server is asked`() {
    let description = AgentDescription(Historian())
    #expect(description.tools.map(\.name) == ["pass_baton", "title"])
    #expect(
      description.servers == [
        MCPSelection(server: "git", include: nil, exclude: ["push"], place: 1),
        MCPSelection(server: "time", include: ["now"], exclude: [], place: 1),
      ]
    )
  }

  @Test func `are offered in the place where the agent names them, in both processes alike`() {
    let declared = AgentDescription(Historian())
    #expect(declared.offering(Self.known).tools.map(\.name) == Self.offered)
    MCPToolSupply.use(Self.known)
    defer { MCPToolSupply.use([]) }
    let resolved = AgentDescription(Historian())
    #expect(resolved.tools == declared.offering(Self.known).tools)
  }

  @Test(arguments: [(Int.min, 0), (-1, 0), (Int.max, 2)])
  func `are offered somewhere, whatever place a description names`(place: Int, first: Int) {
    var description = AgentDescription(Historian())
    for index in description.servers.indices { description.servers[index].place = place }
    let names = description.offering(Self.known).tools.map(\.name)
    #expect(names.firstIndex(of: "git_log") == first)
    #expect(names.sorted() == Self.offered.sorted())
  }

  @Test func `whose names are taken are found`() {
    var description = AgentDescription(Historian())
    description.tools[1].name = "git_log"
    #expect(description.offering(Self.known).repeatedToolNames == ["git_log"])
    #expect(AgentDescription(Historian()).offering(Self.known).repeatedToolNames.isEmpty)
  }

  /// Has a model call a tool of a server, and returns the output.
  private func output(
    _ arguments: String,
    schema: String,
    _ orchestration: FakeOrchestration
  ) async throws -> String? {
    let tool = MCPTool(definition("log", of: "git", schema))
    let model = ScriptedLanguageModel(.call(tool.name, arguments), .text("Done."))
    let response = try await OrchestrationContext.$current.withValue(orchestration) {
      try await LanguageModelSession(model: model, tools: [tool]).respond(to: "Go")
    }
    return response.transcriptEntries.dropFirst().first?.text
  }

  @Test func `are called with the arguments as the model wrote them`() async throws {
    let orchestration = FakeOrchestration(mcpAnswer: .returned("three commits"))
    let arguments = #"{"z": 1.50, "a": [true]}"#
    #expect(
      try await output(arguments, schema: #"{"type": "object"}"#, orchestration) == "three commits"
    )
    #expect(
      orchestration.requests == [.call(server: "git", tool: "log", arguments: arguments)]
    )
  }

  @Test func `are not called with arguments that the schema forbids`() async throws {
    let orchestration = FakeOrchestration()
    let schema = #"{"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 2}}}"#
    let told = try await output(#"{"n": 3}"#, schema: schema, orchestration)
    #expect(told?.contains("do not fit") == true, "\(told ?? "")")
    #expect(orchestration.requests.isEmpty)
  }

  @Test(arguments: [
    (MCPAnswer.failed("It is gone."), "failed"), (.denied("It is gone."), "denied"),
  ])
  func `tell the model of a failure`(answer: MCPAnswer, status: String) async throws {
    let orchestration = FakeOrchestration(mcpAnswer: answer)
    let told = try await output("{}", schema: "{}", orchestration)
    #expect(told == #"{"status": "\#(status)", "tool": "git_log", "reason": "It is gone."}"#)
  }

  @Test func `let a model read on in a long output`() async throws {
    let orchestration = FakeOrchestration(mcpAnswer: .returned("more"))
    let tool = MCPTool(.readOutput)
    let model = ScriptedLanguageModel(
      .call(tool.name, #"{"output": "git_log-1", "offset": 12000}"#),
      .text("Done.")
    )
    _ = try await OrchestrationContext.$current.withValue(orchestration) {
      try await LanguageModelSession(model: model, tools: [tool]).respond(to: "Go")
    }
    #expect(orchestration.requests == [.read(output: "git_log-1", offset: 12000)])
  }

  @Test func `may be repeated only where that is safe`() {
    #expect(!MCPTool(definition("log")).isIdempotent)
    #expect(MCPTool(definition("log", isIdempotent: true)).isIdempotent)
  }
}
