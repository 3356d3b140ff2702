import Foundation
import MCP
import TestSupport
import Testing
import Transcripts

/// Agents as MCP clients see them, through the product as their configuration starts it.
@Suite(.timeLimit(.minutes(10))) struct `An MCP client` {
  private struct Client: Sendable {
    let sdk: Int
    let mode: String
    let transport: String

    /// As the client calls itself.
    var name: String { "\(sdk) \(mode) \(transport)" }
    var isStandalone: Bool { sdk == 2 && mode == "auto" }
  }

  private static let clients = [
    Client(sdk: 2, mode: "auto", transport: "stdio"),
    Client(sdk: 2, mode: "auto", transport: "http"),
    Client(sdk: 2, mode: "legacy", transport: "stdio"),
    Client(sdk: 2, mode: "legacy", transport: "http"),
    Client(sdk: 1, mode: "legacy", transport: "stdio"),
    Client(sdk: 1, mode: "legacy", transport: "http"),
  ]

  @Test func `of either SDK asks agents in its era, on a pipe and over HTTP`() async throws {
    let pythons = [
      1: try await Counterpart.python("mcp1"), 2: try await Counterpart.python("mcp2"),
    ]
    let product = try Product()
    let agents = try product.writeOffice()
    let (coordinator, port) = try await product.listen("--agents", agents)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in Self.clients {
        let server =
          client.transport == "http"
          ? ["http://127.0.0.1:\(port)/mcp", product.home + "/run/token"]
          : [Product.executable, "mcp", "--agents", agents]
        let python = try #require(pythons[client.sdk])
        group.addTask {
          let outcome = try await Counterpart.run(
            script: "mcp_client.py",
            with: python,
            [client.mode, client.transport] + server,
            environment: ["ORCHESTRATOR_HOME": product.home]
          )
          #expect(outcome.status == 0, "\(client.name): \(outcome.errors)")
          try Self.check(client, GeneratedContent(json: outcome.output))
        }
      }
      try await group.waitForAll()
    }
    for client in Self.clients {
      try await eventually("the turn that \(client.name) gave up is cancelled") {
        let transcript = try await product.run("transcript", "cancelled \(client.name)")
        return transcript.output.contains("── cancelled")
      }
    }
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }

  /// Checks what a client saw.
  private static func check(_ client: Client, _ seen: GeneratedContent) throws {
    let name = client.name
    #expect(seen["name"]?.text == name)
    #expect(seen["version"]?.text == (client.isStandalone ? "2026-07-28" : "2025-11-25"))
    let tools = seen["tools"]?.elements?.compactMap { $0["name"]?.text }
    #expect(tools == ["ask_chef", "ask_clerk", "ask_guard"], "\(name)")
    let prompts = seen["prompts"]?.elements?.compactMap { $0["name"]?.text }
    #expect(prompts == ["chef", "clerk", "guard"], "\(name)")
    let prompt = seen["prompt"]?.elements?.first?["content"]?["text"]?.text
    #expect(prompt?.contains("ask_clerk") == true, "\(name)")

    let baton = seen["baton"]?["structuredContent"]
    #expect(baton?["agent"]?.text == "chef", "\(name)")
    #expect(baton?["exit"]?.text == "answered", "\(name)")
    #expect(seen["baton"]?["isError"]?.flag == false, "\(name)")
    let progress = try #require(seen["progress"]?.elements)
    #expect(
      progress.contains { $0.elements?.last?.text == "baton: clerk → chef" },
      "\(name): \(progress)"
    )
    let values = progress.compactMap { $0.elements?.first?.integer }
    #expect(values == Array(1...max(1, progress.count)), "\(name)")
    #expect(
      seen["again"]?["structuredContent"]?["session"] == baton?["session"],
      "\(name)"
    )
    #expect(answer(seen["again"]) == "cooked: more", "\(name)")

    #expect(seen["resource"]?.elements?.count == 1, "\(name)")
    let text = try #require(seen["text"]?.elements?.first)
    #expect(text["mimeType"]?.text == "text/markdown", "\(name)")
    #expect(text["text"]?.text?.contains("\n\ncooked: more\n\n") == true, "\(name)")

    #expect(seen["cap"]?["isError"]?.flag == true, "\(name)")
    #expect(seen["cap"]?["structuredContent"]?["reason"]?.text == "seconds", "\(name)")
    #expect(seen["bad"]?["isError"]?.flag == true, "\(name)")
    let codes = seen["codes"]?.elements?.compactMap(\.integer)
    #expect(codes == [-32602, -32602, client.isStandalone ? -32602 : -32002, -32602], "\(name)")
    // Others begin sessions at the same time.
    let changes = seen["changes"]?.elements?.compactMap(\.text)
    let expected: Set? = client.isStandalone ? ["ResourceUpdated", "ResourcesListChanged"] : nil
    #expect(changes.map(Set.init) == expected, "\(name)")
    let several = seen["several"]?.elements?.map(answer)
    #expect(several == (0..<4).map { "filed: number \($0)" }, "\(name)")
    #expect(answer(seen["after"]) == "filed: still there", "\(name)")
    #expect(answer(seen["approved"]) == "told: It is open.", "\(name)")
    #expect(answer(seen["denied"])?.contains("denied") == true, "\(name)")
    #expect(seen["asked"]?.elements?.count == 2, "\(name)")
  }

  private static func answer(_ result: GeneratedContent?) -> String? {
    result?["content"]?.elements?.first?["text"]?.text
  }

  // MARK: An own coordinator

  @Test func `without a coordinator has an own one, which another client shares and succeeds`()
    async throws
  {
    let product = try Product()
    let agents = try product.writeOffice()
    let first = try await PipedClient(product, agents)
    try await first.initialize()
    #expect(try await first.ask("one") == "filed: one")
    let second = try await PipedClient(product, agents)
    try await second.initialize()
    #expect(try await second.ask("two") == "filed: two")
    let tree = try GeneratedContent(json: try await product.run("ps", "--json").output)
    #expect(tree["coordinator"]?["pid"]?.integer == Int(first.session.pid))

    first.session.closeInput()
    #expect(await first.session.end().status == 0)
    #expect(try await second.ask("three") == "filed: three")
    let next = try GeneratedContent(json: try await product.run("ps", "--json").output)
    #expect(next["coordinator"]?["pid"]?.integer == Int(second.session.pid))
    second.session.signal(SIGTERM)
    #expect(await second.session.end().status == 128 + SIGTERM)
    try await eventually("no process is left") { product.processes().isEmpty }
  }

  @Test func `forgets the question to its person when another has answered it`() async throws {
    let product = try Product()
    let client = try await PipedClient(product, try product.writeOffice())
    try await client.initialize(capabilities: #"{"elicitation":{}}"#)
    client.send(PipedClient.call("open", tool: "ask_guard", id: 1))
    let question = try #require(
      await client.message { $0["method"]?.text == "elicitation/create" }
    )
    #expect(try await product.run("approve", product.request()).status == 0)
    let result = try await client.answer(to: 1)["result"]
    #expect(result?["content"]?.elements?.first?["text"]?.text == "told: It is open.")
    let withdrawal = try #require(
      await client.message { $0["method"]?.text == "notifications/cancelled" }
    )
    #expect(withdrawal["params"]?["requestId"] == question["id"])

    // Between a call and its repetition, there is nothing to take back.
    let meta =
      #","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#
      + #""io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#
    client.send(PipedClient.call("open", tool: "ask_guard", id: 2, meta))
    let state = try await client.answer(to: 2)["result"]?["requestState"]?.text
    let request = try await product.request()
    #expect(try await product.run("approve", request).status == 0)
    let late =
      #","requestState":"\#(state ?? "")","inputResponses":{"request-\#(request)":{"action":"decline"}}"#
    client.send(PipedClient.call("open", tool: "ask_guard", id: 3, meta + late))
    let last = try await client.answer(to: 3)["result"]
    #expect(last?["content"]?.elements?.first?["text"]?.text == "told: It is open.")
    client.session.closeInput()
    #expect(await client.session.end().status == 0)
  }

  @Test func `gets nothing but messages on standard output, whatever it sends`() async throws {
    let product = try Product()
    let client = try await PipedClient(product, try product.writeOffice())
    client.session.type("garbage\n\n[1]\n{\n\u{0}\n\"text\"\n7\n")
    client.session.type(#"{"jsonrpc":"1.0","id":5,"method":"ping"}"# + "\n")
    client.session.type(#"{"jsonrpc":"2.0","id":6,"result":{}}"# + "\n")
    client.session.type(#"{"jsonrpc":"2.0","method":"notifications/guess"}"# + "\n")
    let unreadable = await client.message { $0["error"]?["code"]?.integer == -32700 }
    #expect(unreadable?["id"]?.kind == .null)
    #expect(try await client.answer(to: 5)["error"]?["code"]?.integer == -32600)
    try await client.initialize("1999-01-01", speaking: "2025-11-25")
    #expect(try await client.ask("still there") == "filed: still there")
    // A call that goes on at the end of the input does not keep the process.
    client.send(PipedClient.call("sleep", id: 99))
    client.session.closeInput()
    let outcome = await client.session.end()
    #expect(outcome.status == 0)
    for line in outcome.lines {
      let message = try GeneratedContent(json: line)
      #expect(message["jsonrpc"]?.text == "2.0", "\(line)")
      #expect(message["id"]?.integer != 99, "\(line)")
    }
    #expect(outcome.notes(containing: "garbage").count == 1, "\(outcome.errors)")
  }

  @Test func `that sends an endless line is left`() async throws {
    let product = try Product()
    let client = try await PipedClient(product, try product.writeOffice())
    client.session.type(String(repeating: "x", count: 17 << 20))
    #expect(await client.session.end().status == EX_DATAERR)
  }

  @Test func `learns at once what keeps its server from starting`() async throws {
    let product = try Product()
    let missing = try await product.open("mcp", "--agents", product.home + "/none").end()
    #expect(missing.status == EX_NOINPUT, "\(missing.errors)")
    #expect(missing.output.isEmpty)
    let agents = try product.writeOffice()
    let coordinator = try await product.open("start", "--no-chat", "--agents", agents)
    try await product.waitUntilServing()
    for options in [["--caps", "rounds=2"], ["--agent", "clerk"], ["--context", "512"]] {
      let refused = try await product.start(["mcp"] + options)
      #expect(await refused.end().status == EX_USAGE, "\(options)")
    }
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }
}
