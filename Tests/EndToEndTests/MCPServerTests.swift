import Foundation
import MCP
import TestSupport
import Testing
import Transcripts

/// Agents with tools of MCP servers, in the product as a person runs it.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Program.isPythonHere))
struct `An agent with tools of an MCP server` {
  @Test func `answers a question about a repository's history by the git server`() async throws {
    let python = try await Counterpart.python("mcp1")
    let program = URL(filePath: python).deletingLastPathComponent().path + "/mcp-server-git"
    let clerk = try Clerk(
      server: "git",
      command: [program, "--repository", "."],
      options: #"{"tools": {"include": ["git_log"]}, "startTimeout": 120}"#
    )
    let git = "git -C \(clerk.folder) -c user.name=Ann -c user.email=a@b"
    let made = try await clerk.product.shell(
      "\(git) init -q && \(git) add mcp.json && \(git) commit -qm 'Fold the first crane'"
    )
    try #require(made.status == 0, "\(made.errors)")

    let refused = try await clerk.product.run(
      "ask",
      "git_git_log {}",
      "--agents",
      clerk.agents
    )
    #expect(refused.status != 0)
    #expect(refused.errors.contains("--allow mcp.json"), "\(refused.errors)")
    #expect(refused.errors.contains("mcp-server-git --repository ."), "\(refused.errors)")

    let coordinator = try await clerk.start("--allow", "mcp.json")
    let answer = try await clerk.call("git_git_log", #"{"repo_path": "\#(clerk.folder)"}"#)
    #expect(answer.output.contains("Fold the first crane"), "\(answer.output) \(answer.errors)")
    #expect(answer.output.contains("Ann"))
    let ps = try await clerk.product.run("ps")
    #expect(ps.lines.contains { $0.contains("mcp:git") && $0.contains("1 tool") }, "\(ps.output)")
    let log = try await clerk.product.run("logs", "mcp:git")
    #expect(log.output.contains("mcp-git speaks 2025-11-25"), "\(log.output)")

    let doctor = try await clerk.product.run("doctor", "--agents", clerk.agents)
    #expect(doctor.lines.contains { $0.contains("1 server in") }, "\(doctor.output)")

    let server = try await clerk.server()
    #expect(Stranger.isRunning(server))
    coordinator.signal(SIGKILL)
    _ = await coordinator.end()
    #expect(await Stranger.hasGone(server))
    // What was approved stays so.
    let again = try await clerk.start()
    #expect(
      try await clerk.call("git_git_log", #"{"repo_path": "\#(clerk.folder)"}"#).output
        .contains("Fold the first crane")
    )
    again.signal(SIGTERM)
    _ = await again.end()
  }

  @Test func `asks one of the new era, and reads its errors`() async throws {
    let python = try await Counterpart.python("mcp2")
    let clerk = try Clerk(
      server: "modern",
      command: [python, Clerk.scripts + "/modern_server.py"],
      options: #"{"read": ["\#(Clerk.scripts)"], "startTimeout": 120}"#
    )
    // Spans are made, whether or not they are received.
    let coordinator = try await clerk.start("--allow", "mcp.json", "--telemetry", Self.nowhere)
    let sum = try await clerk.call("modern_add", #"{"a": 2, "b": 40}"#)
    #expect(sum.output.contains(#"{"result": 42}"#), "\(sum.output) \(sum.errors)")
    let span = try await Self.span(clerk, "modern_span")
    #expect(span.header == "no header")
    #expect(span.version == "2026-07-28")
    let failure = try await clerk.call("modern_fail")
    #expect(failure.output.contains("Error executing tool fail"), "\(failure.output)")
    let wrong = try await clerk.call("modern_add", #"{"a": "two"}"#)
    #expect(wrong.output.contains("do not fit"), "\(wrong.output)")
    let log = try await clerk.product.run("logs", "mcp:modern")
    #expect(log.output.contains("speaks 2026-07-28"), "\(log.output)")
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }

  @Test func `asks one behind a URL, which may come later`() async throws {
    let python = try await Counterpart.python("mcp2")
    let port = Int.random(in: 20_000..<30_000)
    let clerk = try Clerk(server: "web", url: "http://127.0.0.1:\(port)/mcp")
    let coordinator = try await clerk.start("--allow", "mcp.json", "--telemetry", Self.nowhere)
    let early = try await clerk.call("web_add", #"{"a": 2, "b": 40}"#)
    #expect(early.errors.contains("'web' is not available"), "\(early.output) \(early.errors)")
    let server = try await clerk.product.open(
      shell: "exec \(python) \(Clerk.scripts)/modern_server.py \(port)"
    )
    #expect(await server.waitForErrors { $0.contains("Uvicorn running") }, "\(server.errors)")
    let sum = try await clerk.call("web_add", #"{"a": 2, "b": 40}"#)
    #expect(sum.output.contains(#"{"result": 42}"#), "\(sum.output) \(sum.errors)")
    let span = try await Self.span(clerk, "web_span")
    #expect(span.header.hasPrefix("00-"))
    #expect(span.version == "2026-07-28")
    let log = try await clerk.product.run("logs", "mcp:web")
    #expect(log.output.contains("speaks 2026-07-28"), "\(log.output)")
    server.signal(SIGKILL)
    _ = await server.end()
    let late = try await clerk.call("web_add", #"{"a": 2, "b": 40}"#)
    #expect(late.output.contains("failed"), "\(late.output) \(late.errors)")
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }

  @Test func `asks an older one behind a URL, which names a session`() async throws {
    let python = try await Counterpart.python("mcp1")
    let port = Int.random(in: 20_000..<30_000)
    let clerk = try Clerk(server: "web", url: "http://127.0.0.1:\(port)/mcp")
    let command = "exec \(python) \(Clerk.scripts)/older_server.py \(port)"
    let first = try await clerk.product.open(shell: command)
    #expect(await first.waitForErrors { $0.contains("Uvicorn running") }, "\(first.errors)")
    let coordinator = try await clerk.start("--allow", "mcp.json")
    let sum = try await clerk.call("web_add", #"{"a": 2, "b": 40}"#)
    #expect(sum.output.contains(#"{"result": 42}"#), "\(sum.output) \(sum.errors)")
    let log = try await clerk.product.run("logs", "mcp:web")
    #expect(log.output.contains("older speaks 2025-11-25"), "\(log.output)")
    #expect(try await Self.chosen(clerk, "web_choose") == "accept: main")
    first.signal(SIGKILL)
    _ = await first.end()
    // The next one does not know the session.
    let second = try await clerk.product.open(shell: command)
    #expect(await second.waitForErrors { $0.contains("Uvicorn running") }, "\(second.errors)")
    _ = try await clerk.call("web_add", #"{"a": 2, "b": 40}"#)
    let again = try await clerk.call("web_add", #"{"a": 2, "b": 40}"#)
    #expect(again.output.contains(#"{"result": 42}"#), "\(again.output) \(again.errors)")
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
    second.signal(SIGKILL)
    _ = await second.end()
  }

  @Test(arguments: [("mcp1", "older", "accept: main"), ("mcp2", "modern", "chosen: main")])
  func `has a person answer what its server wants to know`(
    pins: String,
    server: String,
    answer: String
  ) async throws {
    let python = try await Counterpart.python(pins)
    let clerk = try Clerk(
      server: server,
      command: [python, Clerk.scripts + "/\(server)_server.py"],
      options: #"{"read": ["\#(Clerk.scripts)"], "startTimeout": 120}"#
    )
    let coordinator = try await clerk.start("--allow", "mcp.json")
    #expect(try await Self.chosen(clerk, "\(server)_choose") == answer)
    if server == "modern" {
      let picture = try await clerk.call("modern_picture")
      #expect(picture.output.contains("[image, image/png, 72 bytes]"), "\(picture.output)")
    }
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }

  /// An address at which nothing listens.
  private static let nowhere = "http://127.0.0.1:9"

  /// Has a server tell the span in which it is called, and finds the same in an export.
  /// - Returns: The header that the server saw besides, and the version in which it was asked.
  private static func span(
    _ clerk: Clerk,
    _ tool: String
  ) async throws -> (header: String, version: String?) {
    let answer = try await clerk.call(tool, session: "spans")
    let told = try #require(
      answer.output.firstMatch(of: /00-([0-9a-f]{32})-([0-9a-f]{16})-01 ([0-9a-z -]+)/),
      "\(answer.output) \(answer.errors)"
    )
    let export = try await clerk.product.run("sessions", "export", "--otlp", "spans", "-")
    let spans = try export.lines.flatMap { line in
      let scopes = try GeneratedContent(json: line)["resourceSpans"]?.elements?.first?["scopeSpans"]
      return scopes?.elements?.first?["spans"]?.elements ?? []
    }
    let call = try #require(spans.first { $0["name"]?.text == "execute_tool \(tool)" })
    #expect(call["traceId"]?.text == String(told.1))
    #expect(call["spanId"]?.text == String(told.2))
    let version = call["attributes"]?.elements?.first {
      $0["key"]?.text == "mcp.protocol.version"
    }
    return (String(told.3), version?["value"]?["stringValue"]?.text)
  }

  /// Has a person choose a branch, and returns what the server made of it.
  private static func chosen(_ clerk: Clerk, _ tool: String) async throws -> String? {
    let ask = try await clerk.product.open("ask", "\(tool) {}", "--attended")
    let request = try await clerk.product.request()
    let empty = try await clerk.product.run("approve", request)
    #expect(empty.status != 0)
    #expect(empty.errors.contains("still waits"), "\(empty.errors)")
    let answer = #"{"branch": "main"}"#
    let outcome = try await clerk.product.run("approve", request, "--answer", answer)
    #expect(outcome.output.contains("Answered the server of \(tool)"), "\(outcome.errors)")
    let end = await ask.end()
    #expect(end.errors.contains("asks: Which branch?"), "\(end.errors)")
    return end.output.firstMatch(of: /(accept|chosen): \w+/).map { String($0.0) }
  }

  @Test func `asks a person once a session before it changes anything`() async throws {
    let clerk = try Clerk(hostile: "good")
    let coordinator = try await clerk.start("--allow", "mcp.json")
    #expect(try await clerk.call("good_echo", #"{"text": "hi"}"#).output.contains("hi"))
    let alone = try await clerk.call("good_write", #"{"text": "one"}"#)
    #expect(alone.output.contains("No one is available to approve it."), "\(alone.output)")
    let ask = try await clerk.product.open(
      "ask",
      #"good_write {"text": "two"}"#,
      "--session",
      "s",
      "--attended"
    )
    let request = try await clerk.product.request()
    #expect(try await clerk.product.run("approve", request).status == 0)
    #expect(await ask.end().output.contains("written"))
    #expect(try await clerk.call("good_write", #"{"text": "three"}"#).output.contains("written"))
    let elsewhere = try await clerk.call("good_write", #"{"text": "four"}"#, session: "other")
    #expect(elsewhere.output.contains("No one is available to approve it."))
    let written = try String(contentsOfFile: clerk.folder + "/written", encoding: .utf8)
    #expect(written == "two\nthree\n")
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
  }

  @Test func `is not offered what was changed since it was approved`() async throws {
    let clerk = try Clerk(hostile: "changing")
    let first = try await clerk.start("--allow", "mcp.json")
    #expect(try await clerk.call("changing_echo", #"{"text": "hi"}"#).output.contains("hi"))
    first.signal(SIGTERM)
    _ = await first.end()
    try "".write(toFile: clerk.folder + "/changed", atomically: true, encoding: .utf8)

    let second = try await clerk.start()
    let refused = try await clerk.call("changing_echo", #"{"text": "hi"}"#, session: "t")
    #expect(refused.output.contains("There is no tool named 'changing_echo'"), "\(refused.output)")
    #expect(await second.waitForErrors { $0.contains("--allow 'mcp:changing'") })
    #expect(second.errors.contains(#"  - description: "Says it again.""#), "\(second.errors)")
    #expect(second.errors.contains(#"  + description: "Says it otherwise.""#))
    second.signal(SIGTERM)
    _ = await second.end()

    let third = try await clerk.start("--allow", "mcp:changing")
    #expect(
      try await clerk.call("changing_echo", #"{"text": "hi"}"#, session: "u").output.contains("hi")
    )
    third.signal(SIGTERM)
    _ = await third.end()
  }

  @Test func `reads on in an output that is too long`() async throws {
    let clerk = try Clerk(hostile: "long")
    let coordinator = try await clerk.start("--allow", "mcp.json")
    let begun = try await clerk.call("long_echo", #"{"text": "abc"}"#)
    let offset = try #require(
      begun.output.firstMatch(of: /output 'long_echo-1' and offset (\d+)/).map { String($0.1) },
      "\(begun.output.suffix(300))"
    )
    #expect(begun.output.utf8.count < 16_000)
    let arguments = #"{"output": "long_echo-1", "offset": \#(offset)}"#
    let more = try await clerk.call("read_output", arguments)
    #expect(more.output.contains("the bytes \(offset) to"), "\(more.output.suffix(300))")
    let end = try await clerk.call("read_output", #"{"output": "long_echo-1", "offset": 59990}"#)
    #expect(end.output.contains("This is its end."))
    let stranger = try await clerk.call(
      "read_output",
      #"{"output": "long_echo-1", "offset": 0}"#,
      session: "other"
    )
    #expect(stranger.output.contains("There is no output named 'long_echo-1'."))
    #expect(try await clerk.product.run("sessions", "delete", "s").status == 0)
    let namesake = try await clerk.call("read_output", #"{"output": "long_echo-1", "offset": 0}"#)
    #expect(namesake.output.contains("There is no output named 'long_echo-1'."))
    _ = try await clerk.call("long_echo", #"{"text": "abc"}"#)
    coordinator.signal(SIGTERM)
    _ = await coordinator.end()
    let outputs = clerk.folder + "/state/outputs"
    #expect(try FileManager.default.contentsOfDirectory(atPath: outputs).count == 1)
    #expect(try await clerk.product.run("sessions", "delete", "s").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outputs).isEmpty)
  }
}
