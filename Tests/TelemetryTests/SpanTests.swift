import AgentKit
import Foundation
import Journal
import Testing

@testable import Telemetry

struct SpanTests {
  @Test func `A turn with a friend and a baton is one tree`() throws {
    let spans = try FactLog.readme().spans()
    #expect(
      spans.tree == [
        "invoke_workflow brainstorm",
        "  invoke_agent brainstorm",
        "    chat pocket.gguf",
        "    execute_tool generate_title title",
        "      invoke_agent title",
        "        chat pocket.gguf",
        "    chat pocket.gguf",
        "    execute_tool pass_baton tutorial",
        "  invoke_agent tutorial",
        "    chat pocket.gguf",
        "    execute_tool query_origami_database",
        "    chat pocket.gguf",
      ]
    )
    #expect(Set(spans.map(\.trace)).count == 1)
    #expect(Set(spans.map(\.id)).count == spans.count)
    #expect(spans.allSatisfy { $0["gen_ai.conversation.id"] == .string("talk") })
  }

  @Test func `No span lies outside its parent`() throws {
    let spans = try FactLog.readme().spans()
    for span in spans {
      #expect(span.start <= span.end)
      guard let parent = spans.first(where: { $0.id == span.parent }) else { continue }
      #expect(span.start >= parent.start && span.end <= parent.end, "\(span.name)")
    }
  }

  @Test func `Tokens are on requests alone, and each is counted once`() throws {
    let spans = try FactLog.readme().spans()
    let counted = spans.filter { $0["gen_ai.usage.input_tokens"] != nil }
    #expect(counted.allSatisfy { $0.name == "chat pocket.gguf" })
    #expect(counted.compactMap { $0["gen_ai.usage.input_tokens"]?.int }.reduce(0, +) == 500)
    #expect(counted.compactMap { $0["gen_ai.usage.output_tokens"]?.int }.reduce(0, +) == 35)
    #expect(counted[0]["gen_ai.usage.cache_read.input_tokens"] == .int(60))
    #expect(counted[0]["orchestrator.prefill.tokens"] == .int(40))
    #expect(abs(counted[0].seconds - 0.05) < 0.001)
  }

  @Test func `The receiver of a baton links to the call that passed it`() throws {
    let spans = try FactLog.readme().spans()
    let pass = try #require(spans.named("execute_tool pass_baton tutorial").first)
    let receiver = try #require(spans.named("invoke_agent tutorial").first)
    #expect(receiver.links == [pass.id])
    #expect(pass["gen_ai.transfer.mode"] == .string("pass_control"))
    #expect(pass["gen_ai.transfer.target.name"] == .string("tutorial"))
    let phone = try #require(spans.named("execute_tool generate_title title").first)
    #expect(phone["gen_ai.transfer.mode"] == .string("return_to_caller"))
    let pids = ["brainstorm", "title", "tutorial"].map { name in
      spans.named("invoke_agent \(name)").first?["process.pid"]?.int
    }
    #expect(pids == [100, 200, 300])
  }

  @Test func `A call to an MCP server names the server and its tool`() throws {
    var log = FactLog()
    try log.begin()
    log.launch("clerk", "c", pid: 1)
    try log.call(("1", "git_log"), ("2", "git_hub_list_issues"), ("3", "clock"))
    log.add(
      .calledServer(
        ServerCall(
          callID: "1",
          server: "git",
          tool: "log",
          request: .init(id: 7, version: "2025-11-25")
        )
      )
    )
    log.add(
      .calledServer(
        ServerCall(callID: "2", server: "git_hub", tool: "list_issues", request: nil)
      )
    )
    for id in ["1", "2", "3"] { try log.output(id) }
    log.add(.ended(.answered, revertingTo: nil))
    let calls = log.spans().filter { $0.name.hasPrefix("execute_tool") }.sorted {
      $0.name < $1.name
    }
    #expect(
      calls.map(\.name) == [
        "execute_tool clock", "execute_tool git_hub_list_issues", "execute_tool git_log",
      ]
    )
    #expect(calls.map(\.kind) == [.internal, .client, .client])
    let servers = calls.map { $0["orchestrator.mcp.server"] }
    #expect(servers == [nil, .string("git_hub"), .string("git")])
    let tools = calls.map { $0["orchestrator.mcp.tool"] }
    #expect(tools == [nil, .string("list_issues"), .string("log")])
    #expect(calls.map { $0["mcp.protocol.version"] } == [nil, nil, .string("2025-11-25")])
    #expect(calls.map { $0["jsonrpc.request.id"] } == [nil, nil, .string("7")])
  }

  @Test func `The same facts make the same identities, and others make others`() throws {
    let log = try FactLog.readme()
    #expect(log.spans() == log.spans())
    var other = FactLog()
    try other.begin("another")
    other.add(.ended(.cancelled, revertingTo: nil))
    #expect(other.spans().map(\.trace) != Array(log.spans().map(\.trace).prefix(1)))
  }

  @Test func `Only turns without an end take memory`() throws {
    var maker = SpanMaker()
    for fact in try FactLog.readme().facts { _ = maker.apply(fact) }
    #expect(maker.turns.isEmpty)
  }

  @Test func `Facts that were cut off anywhere do no harm`() throws {
    let facts = try FactLog.readme().facts
    for start in facts.indices {
      var maker = SpanMaker()
      let spans = facts[start...].flatMap { maker.apply($0) }
      #expect(spans.count <= 12)
    }
  }

  @Test(arguments: [
    (TurnExit.answered, nil), (.finalAnswer, nil), (.cancelled, "cancelled"),
    (.cap("rounds"), "cap"), (.cap("seconds"), "timeout"),
    (.cap("contextSize"), "context_overflow"),
    (.refused("no"), "refused"), (.failed("a secret reason"), "failed"),
  ])
  func `An exit without an answer is a failure of a few kinds`(exit: TurnExit, kind: String?) throws
  {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("c", "tool"))
    log.add(.ended(exit, revertingTo: nil))
    let spans = log.spans()
    let root = try #require(spans.last)
    #expect(root.failure?.kind == kind)
    #expect(spans.named("invoke_agent brainstorm").first?.failure?.kind == kind)
    // The call has no output, whatever the exit says.
    #expect(spans.named("execute_tool tool").first?.failure != nil)
  }

  @Test func `A replaced worker keeps its agent's span`() throws {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b-1", pid: 1)
    try log.call(("c", "tool"))
    log.add(
      .died(WorkerDeath(cause: "killed by signal 9", lastLines: [], tokensOut: 3, partialText: nil))
    )
    log.launch("brainstorm", "b-2", pid: 2)
    try log.output("c")
    try log.respond()
    log.add(.ended(.answered, revertingTo: nil))
    let agents = log.spans().named("invoke_agent brainstorm")
    #expect(agents.count == 1)
    #expect(
      agents[0].events.map(\.name) == ["orchestrator.worker.died", "orchestrator.worker.replaced"]
    )
    let replacement = agents[0].events[1].attributes
    #expect(replacement.contains(Attribute("orchestrator.old_pid", .int(1))))
    #expect(replacement.contains(Attribute("orchestrator.new_pid", .int(2))))
  }

  @Test func `A turn that ends with its worker's death names the worker`() throws {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b-1", pid: 1)
    log.add(
      .died(WorkerDeath(cause: "killed", lastLines: [], tokensOut: 0, partialText: nil))
    )
    log.add(.ended(.failed("It died."), revertingTo: "brainstorm"))
    let root = try #require(log.spans().last)
    #expect(root.failure?.kind == "worker_lost")
    #expect(root["orchestrator.reverted"] == .bool(true))
  }

  @Test func `A wait for a person is a span below the call`() throws {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("c", "send"))
    log.add(.askedApproval(ApprovalQuestion(callID: "c", tool: "send", arguments: "{}")))
    let question = Int64(log.facts.count)
    log.add(.answeredApproval(question: question, ApprovalDecision(denial: "No.", by: .chat)))
    try log.output("c")
    log.add(.ended(.answered, revertingTo: nil))
    let spans = log.spans()
    let call = try #require(spans.named("execute_tool send").first)
    let approval = try #require(spans.named("orchestrator.approval").first)
    #expect(approval.parent == call.id)
    #expect(approval["orchestrator.approval.decision"] == .string("denied"))
    #expect(abs(approval.seconds - 0.1) < 0.001)
  }

  @Test func `A call identity that recurs in a later round is another call`() throws {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b", pid: 1)
    for _ in 0..<2 {
      try log.call(("c", "tool"))
      try log.output("c")
    }
    try log.respond()
    log.add(.ended(.answered, revertingTo: nil))
    let calls = log.spans().named("execute_tool tool")
    #expect(calls.count == 2)
    #expect(Set(calls.map(\.id)).count == 2)
  }

  @Test func `Sessions of a tool's own are requests below its call`() throws {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "b", pid: 1)
    try log.call(("c", "tool"))
    try log.output("c", usage: RequestUsage(tokensIn: 20, tokensOut: 2))
    try log.respond()
    log.add(.ended(.answered, revertingTo: nil))
    let spans = log.spans()
    let call = try #require(spans.named("execute_tool tool").first)
    let inner = try #require(spans.first { $0.parent == call.id })
    #expect(inner["gen_ai.usage.input_tokens"] == .int(20))
    #expect(inner["gen_ai.response.time_to_first_chunk"] == nil)
  }
}
