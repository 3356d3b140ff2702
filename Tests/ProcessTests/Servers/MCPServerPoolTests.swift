import Coordination
import Foundation
import Logging
import Supervision
import TestSupport
import Testing
import Transcripts
import Wire

@testable import Coordinator

@Suite(.timeLimit(.minutes(5)), .enabled(if: Program.isPythonHere))
struct `The pool of MCP servers` {
  /// A pool with the one server `s`, of a kind of misbehaviour, and an agent that takes its tools.
  private func withPool(
    _ kind: String,
    _ body: (MCPServerPool, _ folder: String) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let folders = try Folders(environment: ["ORCHESTRATOR_HOME": folder])
    try folders.make()
    let file = """
      {"mcpServers": {"s": {"command": "\(Program.python)", \
      "args": ["\(ServerStage.script)", "\(kind)"], "orchestrator": {"startTimeout": 120}}}}
      """
    try file.write(toFile: "\(folder)/mcp.json", atomically: true, encoding: .utf8)
    let settings = CoordinatorSettings(
      folders: folders,
      agents: "\(folder)/Agents",
      model: nil,
      projector: nil,
      contextSize: nil,
      beginner: nil,
      caps: Caps(),
      sandbox: .off,
      launcher: LocalLauncher(),
      grants: try PermissionGrants(["mcp.json"], home: folder)
    )
    let starter = ServerStarter(
      eventLoop: try ChildEventLoop(),
      launcher: LocalLauncher(),
      executable: try await Troupe.shared().worker,
      sandbox: nil,
      pidFiles: nil
    ) { folders.log(of: "\($0)") }
    let environment = ProcessInfo.processInfo.environment
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let pool = MCPServerPool(settings, starter: starter, environment: environment, logger: logger)
    var failure: (any Error)?
    do {
      _ = try await pool.tools(for: Self.agent)
      try await body(pool, folder)
    } catch {
      failure = error
    }
    await pool.close()
    if let failure { throw failure }
  }

  private static let agent = AgentDescription(
    name: "a",
    description: "",
    instructions: "",
    tools: [],
    servers: [MCPSelection(server: "s", include: nil, exclude: [], place: 0)],
    batons: [],
    friends: [],
    mode: .allowed,
    reasoningLevel: nil,
    serverModel: nil,
    hasExit: false,
    permissions: []
  )

  private func answer(
    _ pool: MCPServerPool,
    _ tool: String,
    session: String = "one",
    isApproved: Bool = false
  ) async -> MCPAnswer {
    let reply = await pool.answer(
      .call(server: "s", tool: tool, arguments: #"{"text": "hello"}"#),
      session: session,
      window: nil,
      isApproved: isApproved,
      caller: .none
    )
    return reply.answer
  }

  @Test func `asks before what changes something, and before what is not listed`() async throws {
    try await withPool("good") { pool, _ in
      func asks(_ tool: String) async -> Bool {
        await pool.needsApproval(
          .call(server: "s", tool: tool, arguments: "{}"),
          session: "one"
        )
      }
      #expect(await asks("echo") == false)
      #expect(await asks("write"))
      #expect(await asks("unheard of"))
      guard case .failed = await answer(pool, "write") else {
        Issue.record("It was called without approval.")
        return
      }
      #expect(await answer(pool, "write", isApproved: true) == .returned("written"))
      #expect(await asks("write") == false)
    }
  }

  @Test func `keeps nothing of a session that is deleted for the next of its name`() async throws {
    try await withPool("long") { pool, _ in
      func asks(in session: String) async -> Bool {
        await pool.needsApproval(
          .call(server: "s", tool: "write", arguments: "{}"),
          session: session
        )
      }
      func read(in session: String) async -> MCPAnswer {
        let reply = await pool.answer(
          .read(output: "s_echo-1", offset: 0),
          session: session,
          window: nil,
          isApproved: false,
          caller: .none
        )
        return reply.answer
      }
      for session in ["one", "two"] {
        _ = await answer(pool, "write", session: session, isApproved: true)
        _ = await answer(pool, "echo", session: session)
      }
      await pool.forget(session: "one")
      #expect(await asks(in: "one"))
      #expect(await asks(in: "two") == false)
      guard case .failed = await read(in: "one"), case .returned = await read(in: "two") else {
        Issue.record("The outputs of the wrong session are kept.")
        return
      }
    }
  }

  @Test func `bounds the words of an error like those of an output`() async throws {
    try await withPool("refusing") { pool, _ in
      guard case .failed(let words) = await answer(pool, "echo") else {
        Issue.record("The error is none.")
        return
      }
      #expect(words.contains("-32000"))
      #expect(words.utf8.count < OutputStore.room(inWindow: nil) + 300)
    }
  }

  @Test func `judges a call by the tools of a server that has started again`() async throws {
    try await withPool("changing") { pool, folder in
      #expect(await answer(pool, "echo") == .returned("hello"))
      try Data().write(to: URL(filePath: "\(folder)/changed"))
      let pid = try #require(await pool.statuses().first?.pid)
      kill(pid, SIGKILL)
      try await eventually("it has ended") { await pool.statuses().first?.state == .stopped }
      guard case .failed = await answer(pool, "echo") else {
        Issue.record("A tool that was not approved was called.")
        return
      }
      #expect(await pool.statuses().first?.withheld == ["echo"])
    }
  }
}
