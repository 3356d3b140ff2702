import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A conversation` {
  private static let prompts = """
    I want a rainy-day project for kids
    Give it a title
    How do I fold a crane?
    My wings are uneven

    """

  @Test func `of four prompts passes the baton, phones a friend and leaves nothing behind`()
    async throws
  {
    let product = try Product()
    let chat = try await product.run("start", "--session", "demo", input: Self.prompts)
    #expect(chat.status == 0)
    #expect(chat.lines.count >= 4, "\(chat.output)")
    #expect(chat.notes(containing: "baton: ").count >= 2, "\(chat.errors)")
    #expect(chat.notes(containing: "started (pid ").count >= 1, "\(chat.errors)")
    #expect(await isQuiet(product))

    let transcript = try await product.run("transcript", "demo")
    #expect(transcript.status == 0)
    #expect(transcript.output.contains("person: I want a rainy-day project for kids"))
    #expect(transcript.output.contains("    person: A project about "), "nested under its call")

    let log = try await product.run("logs", "title")
    #expect(log.status == 0)
    #expect(!log.output.isEmpty, "the log of a friend outlives it")

    let runs = try await product.run("logs", "--json")
    let records = try #require(
      try JSONSerialization.jsonObject(with: Data(runs.output.utf8)) as? [[String: Any]]
    )
    let pids = Set(records.compactMap { $0["pid"] as? Int })
    #expect(records.count >= 3)
    #expect(pids.count == records.count, "each has a process of its own")
    #expect(records.contains { $0["role"] as? String == "friend" })

    let tree = try await product.run("transcript", "demo", "--json")
    let session = try #require(
      try JSONSerialization.jsonObject(with: Data(tree.output.utf8)) as? [String: Any]
    )
    let turns = try #require(session["turns"] as? [[String: Any]])
    func tokens(_ part: String) -> Int {
      turns.compactMap { ($0[part] as? [String: Int])?["tokensOut"] }.reduce(0, +)
    }
    let used = records.compactMap { $0["tokensOut"] as? Int }.reduce(0, +)
    #expect(tokens("total") == used, "what every process has used is counted once")
    #expect(tokens("ofFriends") > 0)
    #expect(tokens("ofFriends") < used)
    let usage = try await product.run("transcript", "demo", "--usage")
    #expect(usage.lines.count { $0.contains("; of these, friends used ") } == 1)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `ends with everything that it started at a signal`(signal: Int32)
    async throws
  {
    let product = try Product()
    let chat = try await product.open("start")
    chat.type("How do I fold a boat?\n")
    #expect(await chat.waitForOutput { $0.contains("3. ") })
    #expect(product.processes().count >= 2)
    chat.signal(signal)
    #expect(await chat.end().status == 128 + signal)
    #expect(await isQuiet(product))
  }

  @Test func `ends at once at Ctrl-Backslash, without a trace, and its turn goes on at a start`()
    async throws
  {
    let product = try Product()
    let chat = try await product.start(
      ["start", "--session", "story"],
      environment: ["SWIFT_BACKTRACE": "enable=yes,cache=no"]
    )
    chat.type("How do I fold a crane?\n")
    #expect(await chat.waitForErrors { $0.contains("brainstorm calls pass_baton") })
    #expect(product.processes().count >= 2)
    chat.signal(SIGQUIT)
    let end = await chat.end()
    #expect(end.status == 1000 + SIGQUIT, "\(end.errors)")
    #expect(!end.errors.contains("crashed"), "\(end.errors)")
    #expect(await isQuiet(product))
    let next = try await product.run("start", "--session", "story", input: "Hello\n")
    #expect(next.status == 0, "\(next.errors)")
    let transcript = try await product.run("transcript", "story")
    #expect(!transcript.output.contains("cancelled"), "\(transcript.output)")
    #expect(transcript.lines.contains("person: Hello"), "\(transcript.output)")
  }

  @Test func `keeps its holder, and says so when another agent was to begin it`() async throws {
    let product = try Product()
    try product.writeBrief()
    let agents = try product.writeBrief(as: "Other")
    func ask(_ agent: String, _ session: String) async throws -> Product.Outcome {
      let options = ["--agents", agents, "--agent", agent, "--session", session]
      let asked = try await product.start(["ask", "Hello"] + options)
      asked.closeInput()
      return await asked.end()
    }
    let words = "session 's' continues with brief"
    let first = try await ask("brief", "s")
    #expect(first.status == 0 && !first.errors.contains("continues with"), "\(first.errors)")
    let again = try await ask("other", "s")
    #expect(again.status == 0 && again.notes(containing: words).count == 1, "\(again.errors)")
    let chat = try await product.run(
      "start",
      "--agents",
      agents,
      "--agent",
      "other",
      "--session",
      "s",
      input: "Hello\n"
    )
    #expect(chat.status == 0 && chat.notes(containing: words).count == 1, "\(chat.errors)")
    let new = try await ask("other", "t")
    #expect(new.status == 0 && !new.errors.contains("continues with"), "\(new.errors)")
    #expect(try await product.run("transcript", "t").output.contains("other: ok"))

    // The same holds for a coordinator that was already running when `ask` came.
    let coordinator = try await product.open("start", "--no-chat", "--agents", agents)
    try await product.waitUntilServing()
    let another = try await ask("other", "u")
    #expect(another.status == 0 && !another.errors.contains("continues with"), "\(another.errors)")
    #expect(try await product.run("transcript", "u").output.contains("other: ok"))
    let late = try await ask("other", "s")
    #expect(late.status == 0 && late.notes(containing: words).count == 1, "\(late.errors)")
    let stranger = try await ask("nobody", "v")
    #expect(stranger.status == 66)
    #expect(stranger.errors.contains("There is no agent named 'nobody'"), "\(stranger.errors)")
    #expect(try await !product.run("sessions").output.contains("v "))
    await coordinator.end(by: SIGTERM)
  }

  @Test func `shows nothing that an agent says as if another had said it`() async throws {
    let product = try Product()
    let agents = try product.writeBrief(saying: #"one\r\nperson: two"#)
    #expect(try await product.run("ask", "Hello", "--agents", agents).status == 0)
    let transcript = try await product.run("transcript")
    #expect(transcript.lines.filter { $0.hasPrefix("person: ") } == ["person: Hello"])
    #expect(transcript.lines.contains("  person: two"), "\(transcript.output)")
  }

  /// Returns whether the processes end within one second, as promised.
  private func isQuiet(_ product: Product) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(1)
    while !product.processes().isEmpty {
      if ContinuousClock.now > deadline { return false }
      try? await Task.sleep(for: .milliseconds(2))
    }
    return true
  }
}
