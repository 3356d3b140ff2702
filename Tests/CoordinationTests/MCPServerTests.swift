import Foundation
import Journal
import Testing
import Transcripts
import Wire

@testable import Coordination

/// Calls to MCP servers, which the coordinator makes for workers.
@Suite(.timeLimit(.minutes(5)))
struct `A call to an MCP server` {
  private static let request = MCPRequest.call(server: "git", tool: "log", arguments: "{}")

  /// Makes one call, and answers with what it returned.
  private static let calling: Script = serving { turn in
    try await turn.admission()
    try await turn.record(.call("call-\(turn.id)", "git_log"))
    let answer = try await turn.askServer(request, callID: "call-\(turn.id)")
    try await turn.record(.output("call-\(turn.id)", "git_log", "\(answer)"))
    return try await turn.answer("\(answer)")
  }

  @Test func `is made for a journaled call and answered`() async throws {
    let servers = FakeServers()
    let table = try Table(["a": Self.calling], servers: servers)
    let summary = try await table.say("go")
    #expect(summary.answer == "\(MCPAnswer.returned("\(Self.request)"))")
    #expect(
      servers.asked == [
        .init(request: Self.request, session: "talk", window: 4096, isApproved: false)
      ]
    )
    // It is part of no trace.
    #expect(servers.spans == [nil])
  }

  @Test func `is journaled with the request that it was, and made in a span of its own`()
    async throws
  {
    let servers = FakeServers()
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.calls(["1", "2"], "git_log"))
          _ = try await turn.askServer(Self.request, callID: "2")
          _ = try await turn.askServer(.read(output: "x", offset: 0), callID: "1")
          try await turn.record(.output("1", "git_log", "so"))
          try await turn.record(.output("2", "git_log", "so"))
          return try await turn.answer("Done.")
        }
      ],
      servers: servers,
      tracing: Tracing {
        $0.session
      } call: {
        "\($0.turn) \($0.place.fact) \($0.place.index)"
      }
    )
    let turn = try await table.say("go").turn
    let facts = try await JournalReader(table.journal).facts(of: 1, turn: turn)
    let calls = try #require(
      facts.first {
        if case .recorded(let entry, _) = $0.event, case .toolCalls = entry.entry {
          true
        } else {
          false
        }
      }
    )
    #expect(servers.spans == ["talk \(calls.id) 1", "talk \(calls.id) 0"])
    let made = facts.compactMap { fact -> ServerCall? in
      if case .calledServer(let call) = fact.event { call } else { nil }
    }
    #expect(
      made == [ServerCall(callID: "2", server: "git", tool: "log", request: FakeServers.request)]
    )
  }

  @Test func `is not made for a call that is not journaled`() async throws {
    let servers = FakeServers()
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "git_log"))
          _ = try await turn.askServer(Self.request, callID: "2")
          return try await turn.answer("done")
        }
      ],
      servers: servers
    )
    guard case .failed = try await table.say("go").exit else {
      Issue.record("The turn went on.")
      return
    }
    #expect(servers.asked.isEmpty)
  }

  @Test func `waits for a person where it needs approval, and then is made`() async throws {
    let servers = FakeServers(needsApproval: true)
    let table = try Table(["a": Self.calling], servers: servers)
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let question = try #require(await desk.pending.first)
    #expect(question.tool == "git_log")
    #expect(servers.asked.isEmpty)
    try await desk.answer(question.id, denial: nil, by: .control)
    #expect(try await summary.answer == "\(MCPAnswer.returned("\(Self.request)"))")
    #expect(servers.asked.map(\.isApproved) == [true])
  }

  @Test func `is not made when a person denies it, or none is there`() async throws {
    let servers = FakeServers(needsApproval: true)
    let table = try Table(["a": Self.calling], servers: servers)
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    try await desk.answer(try #require(await desk.pending.first).id, denial: "No.", by: .control)
    #expect(try await summary.answer == "\(MCPAnswer.denied("No."))")
    let alone = try await table.say("again")
    #expect(alone.answer == "\(MCPAnswer.denied("No one is available to approve it."))")
    #expect(servers.asked.isEmpty)
  }

  @Test func `of a tool's own code is asked about by itself`() async throws {
    let servers = FakeServers(needsApproval: true)
    let push = MCPRequest.call(server: "git", tool: "push", arguments: #"{"to": "main"}"#)
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "git_log"))
          var answers: [MCPAnswer] = []
          for request in [Self.request, push, push] {
            answers.append(try await turn.askServer(request, callID: "1"))
          }
          try await turn.record(.output("1", "git_log", "so"))
          return try await turn.answer("\(answers)")
        }
      ],
      servers: servers
    )
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    var asked: [ApprovalRecord] = []
    for denial in [nil, nil, "No."] {
      let known = asked.last?.id ?? 0
      await eventually { await desk.pending.contains { $0.id > known } }
      let question = try #require(await desk.pending.first)
      asked.append(question)
      try await desk.answer(question.id, denial: denial, by: .control)
    }
    #expect(asked.map(\.tool) == ["git_log", "git_push", "git_push"])
    #expect(asked.map(\.arguments) == ["{}", #"{"to": "main"}"#, #"{"to": "main"}"#])
    let answers: [MCPAnswer] = [
      .returned("\(Self.request)"), .returned("\(push)"), .denied("No."),
    ]
    #expect(try await summary.answer == "\(answers)")
    #expect(servers.asked.map(\.request) == [Self.request, push])
  }

  @Test func `to which its agent takes no tools is not made`() async throws {
    let servers = FakeServers()
    let request = MCPRequest.call(server: "files", tool: "write", arguments: "{}")
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.admission()
          try await turn.record(.call("1", "git_log"))
          let answer = try await turn.askServer(request, callID: "1")
          guard case .failed = answer else { throw BadOrder() }
          try await turn.record(.output("1", "git_log", "so"))
          return try await turn.answer("done")
        }
      ],
      servers: servers
    )
    #expect(try await table.say("go").exit == .answered)
    #expect(servers.asked.isEmpty)
  }

  private static var form: ApprovalForm {
    get throws {
      let schema =
        #"{"type": "object", "properties": {"branch": {"type": "string"}}, "required": ["branch"]}"#
      return ApprovalForm(message: "Which branch?", schema: try JSONSchema(json: schema))
    }
  }

  @Test func `has a person answer what its server wants to know`() async throws {
    let servers = FakeServers(form: try Self.form)
    let table = try Table(["a": Self.calling], servers: servers)
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let question = try #require(await desk.pending.first)
    #expect(question.tool == "git_log")
    #expect(question.form?.message == "Which branch?")
    for content in [nil, "{}", "[]", "main", #"{"branch": 7}"#] {
      let error = await #expect(throws: ApprovalError.self) {
        try await desk.answer(question.id, denial: nil, content: content, by: .control)
      }
      #expect(error?.problem != nil)
    }
    let content = #"{"branch": "main"}"#
    let answered = try await desk.answer(question.id, denial: nil, content: content, by: .control)
    #expect(answered.answer?.content == content)
    #expect(try await summary.exit == .answered)
    #expect(servers.answers == [.accepted(content)])
  }

  @Test func `tells its server that a person closed the form, which a call to approve has not`()
    async throws
  {
    let servers = FakeServers(needsApproval: true, form: try Self.form)
    let table = try Table(["a": Self.calling], servers: servers)
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let call = try #require(await desk.pending.first)
    let error = await #expect(throws: ApprovalError.self) {
      try await desk.answer(call.id, denial: nil, isCancelled: true, by: .control)
    }
    #expect(error?.problem != nil)
    try await desk.answer(call.id, denial: nil, by: .control)
    await eventually { await desk.pending.first.map { $0.id != call.id } ?? false }
    let form = try #require(await desk.pending.first)
    try await desk.answer(form.id, denial: nil, isCancelled: true, by: .control)
    #expect(try await summary.exit == .answered)
    #expect(servers.answers == [.cancelled])
  }

  @Test func `tells its server whether a person refused, or none was there`() async throws {
    let servers = FakeServers(form: try Self.form)
    let table = try Table(["a": Self.calling], servers: servers)
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    try await desk.answer(try #require(await desk.pending.first).id, denial: "No.", by: .control)
    #expect(try await summary.exit == .answered)
    #expect(try await table.say("again").exit == .answered)
    #expect(servers.answers == [.declined, .cancelled])
  }

  @Test func `has no question left when its turn is over`() async throws {
    let servers = FakeServers(form: try Self.form)
    let table = try Table(["a": Self.calling], stopPatience: .milliseconds(50), servers: servers)
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    await table.sessions.cancel("talk")
    #expect(try await summary.exit == .cancelled)
    await eventually { servers.answers == [.cancelled] }
    await eventually { await desk.pending.isEmpty }
  }

  @Test func `is cancelled with its turn`() async throws {
    let servers = FakeServers(isSilent: true)
    let table = try Table(["a": Self.calling], stopPatience: .milliseconds(50), servers: servers)
    async let summary = table.say("go")
    await eventually { !servers.asked.isEmpty }
    await table.sessions.cancel("talk")
    #expect(try await summary.exit == .cancelled)
    await eventually { servers.cancelled == 1 }
  }
}
