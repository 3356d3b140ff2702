import FlyingSocks
import Foundation
import TestSupport
import Testing

/// Where a command runs and where it writes.
@Suite(.timeLimit(.minutes(10))) struct `A command, wherever it runs,` {
  private static let question = "'How do I fold a boat?'"
  private static let options = "--agents '\(Product.agents)' --model '\(Product.model)'"

  @Test func `takes a home that is named from where it is`() async throws {
    let product = try Product()
    let name = URL(filePath: product.home).lastPathComponent
    let ask = "ORCHESTRATOR_HOME=./\(name) orchestrator ask \(Self.question) \(Self.options)"
    let answer = try await product.shell("cd /tmp && \(ask)")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.lines.first == "Here is how to fold the boat:")
  }

  @Test func `hears of its workers' ends where it was to ignore those of children`() async throws {
    let product = try Product()
    let line = "trap '' CHLD && exec orchestrator ask \(Self.question) \(Self.options)"
    let answer = try await product.shell(line)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.lines.first == "Here is how to fold the boat:")
  }

  @Test func `finds the agents that ship beside it where none are here`() async throws {
    let product = try Product()
    let (home, program) = (product.home, product.home + "/libexec/orchestrator")
    // The layout that deploy/install creates.
    let install = """
      mkdir -p \(program) \(home)/share/orchestrator \(home)/empty; cp \(Product.executable) \(program)/; \
      for made in orchestrator-worker Modules AgentKitMacros-tool; \
      do ln -s \(Product.folder)/$made \(program)/; done; \
      cp -R \(Product.agents) \(home)/share/orchestrator/Agents; cd \(home)/empty
      """
    let shipped = try await product.shell("\(install); \(program)/orchestrator agents")
    #expect(shipped.status == 0, "\(shipped.errors)")
    #expect(shipped.lines.contains { $0.hasPrefix("tutorial ") }, "\(shipped.output)")
    try product.writeBrief()
    let own = try await product.shell("cd \(home); \(program)/orchestrator agents")
    #expect(own.lines.dropFirst().map { $0.split(separator: " ").first } == ["brief"])
  }

  @Test func `removes from its cache what was not used for long`() async throws {
    let product = try Product()
    let cache = product.home + "/cache"
    let old = "\(cache)/plugins/Old-\(UUID().uuidString).so"
    // Files that take no room, of 5 GiB together.
    let leave = """
      mkdir -p \(cache)/prefixes/gone; touch -d '20 days ago' \(old); \
      for name in 1 2 3 4 5; do truncate -s 1G \(cache)/prefixes/gone/$name.prefix; done; \
      touch -d '20 days ago' \(cache)/prefixes/gone/*
      """
    let left = try await product.shell(leave)
    #expect(left.status == 0, "\(left.errors)")
    let agents = try product.writeBrief()
    let coordinator = try await product.open("start", "--no-chat", "--agents", agents)
    try await eventually("only as much is left as may be") {
      let prefixes = try FileManager.default.contentsOfDirectory(atPath: cache + "/prefixes/gone")
      return prefixes.count == 4 && !FileManager.default.fileExists(atPath: old)
    }
    await coordinator.end(by: SIGTERM)
  }

  @Test func `keeps the prefixes of namesakes in different folders apart`() async throws {
    let product = try Product()
    let here = try product.writeBrief()
    let there = product.home + "/Others"
    try FileManager.default.copyItem(atPath: here, toPath: there)
    for (session, agents) in [("one", here), ("two", there), ("three", here)] {
      let asked = try await product.run("ask", "Hello", "--session", session, "--agents", agents)
      #expect(asked.output == "ok\n", "\(asked.errors)")
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: product.home + "/cache/prefixes")
    #expect(kept.count == 2, "\(kept)")
    #expect(kept.allSatisfy { $0.hasPrefix("brief-") }, "\(kept)")
  }

  @Test func `says when what it writes is not all there`() async throws {
    let product = try Product()
    let line = "orchestrator ask \(Self.question) \(Self.options) >/dev/full"
    let answer = try await product.shell(line)
    #expect(answer.status == 74)
    #expect(answer.notes(containing: "No space left on device").count == 1, "\(answer.errors)")
  }

  @Test(arguments: ["ask Hello", "start", "transcript", "agents check"])
  func `says by its status that its output had no reader`(command: String) async throws {
    let product = try Product()
    let agents = "--agents \(try product.writeBrief())"
    let answered = try await product.shell("orchestrator ask Hello \(agents)")
    #expect(answered.status == 0, "\(answered.errors)")
    let options = command == "transcript" ? "" : agents
    let run = "echo Hello | orchestrator \(command) \(options); echo $? >\(product.home)/status"
    // It begins when the reader has closed its end, which the reader says by another way.
    let gone = product.home + "/gone"
    let line = "mkfifo \(gone); (read x <\(gone); \(run)) | (exec <&-; echo >\(gone))"
    _ = try await product.shell(line)
    let status = try String(contentsOfFile: product.home + "/status", encoding: .utf8)
    #expect(status == "141\n")
  }

  @Test func `says that standard output is closed, and writes the answer nowhere else`()
    async throws
  {
    let product = try Product()
    let line = "orchestrator ask \(Self.question) \(Self.options)"
    let closed = try await product.shell("exec >&-; \(line)")
    #expect(closed.status == 74)
    #expect(
      closed.notes(containing: "is incomplete: it is closed").count == 1,
      "\(closed.errors)"
    )
    let unheard = try await product.shell("exec <&- 2>&-; \(line)")
    #expect(unheard.status == 0)
    #expect(unheard.lines.first == "Here is how to fold the boat:")
    let verified = try await product.run("sessions", "verify")
    #expect(verified.output.hasSuffix(", 0 flaws\n"), "\(verified.output)")
  }

  @Test(arguments: [
    ("ask Hello --model ''", 64, "The path is empty."),
    ("ask Hello --agents ''", 64, "The path is empty."),
    ("ask Hello --context 100", 64, "a number from 256 to"),
    ("agents --agents /nonexistent", 66, "There is no agents folder at /nonexistent."),
    ("agents check --model /etc/passwd", 65, "The model /etc/passwd cannot be used: "),
    ("ask - <&-", 1, "Cannot read standard input: it is closed."),
    ("ask - </", 1, "Cannot read standard input: \(String(cString: strerror(EISDIR)))."),
  ])
  func `says by its status of which kind a mistake is`(
    command: String,
    status: Int32,
    words: String
  ) async throws {
    let product = try Product()
    let agents = command.contains("--agents") ? "" : " --agents \(try product.writeBrief())"
    let refused = try await product.shell("orchestrator \(command)\(agents)")
    #expect(refused.status == status)
    #expect(refused.errors.contains(words), "\(refused.errors)")
  }

  @Test func `says that an agent which is allowed something is not there`() async throws {
    let product = try Product()
    let line = "orchestrator ask \(Self.question) \(Self.options) --allow tutorail=network"
    let answer = try await product.shell(line)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.notes(containing: "--allow names 'tutorail'").count == 1, "\(answer.errors)")
  }

  @Test func `writes all that there is to a reader who takes a while`() async throws {
    let product = try Product()
    _ = try await product.run("ask", "How do I fold a boat?")
    // More than a pipe holds, for a reader that begins later than anyone would wait.
    let log =
      "head -c 300000 /dev/zero | tr '\\0' x >>\"$(ls \(product.home)/state/logs/tutorial-*.log)\""
    #expect(try await product.shell(log).status == 0)
    let late = try await product.shell("orchestrator logs tutorial | (sleep 2; wc -c)")
    #expect(Int(late.lines.last ?? "") ?? 0 > 300_000, "\(late.output)")
  }

  @Test func `answers a script no further when its output has no reader`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    let start = "orchestrator start --agents \(agents); echo $? >\(product.home)/status"
    let read = try await product.shell("(yes Hello | head -2000 | (\(start))) | head -1")
    #expect(read.output == "ok\n", "\(read.errors)")
    #expect(try String(contentsOfFile: product.home + "/status", encoding: .utf8) == "141\n")
    let transcript = try await product.run("transcript")
    let prompts = transcript.lines.count { $0.hasPrefix("person: ") }
    #expect((1..<2000).contains(prompts))
  }

  @Test func `is served again after more clients have come than there are descriptors`()
    async throws
  {
    let product = try Product()
    let start = "ulimit -n 48 && exec orchestrator start --no-chat \(Self.options)"
    let coordinator = try await product.open(shell: start)
    try await product.waitUntilServing()
    let path = product.home + "/run/coordinator.sock"
    var clients: [Socket] = []
    // Until it has no descriptor left.
    while Self.descriptors(of: coordinator.pid) < 48 {
      try Task.checkCancellation()
      try await Task.sleep(for: .milliseconds(1))
      // Many more than it can take, and few enough for this process.
      guard clients.count < 400 else { continue }
      let client = try Socket(domain: AF_UNIX)
      try client.setFlags(.nonBlocking)
      do {
        try client.connect(to: .unix(path: path))
        clients.append(client)
      } catch {
        try client.close()
      }
    }
    #expect(clients.count > 10)
    for client in clients { try client.close() }
    try await product.waitUntilServing()
    #expect(try await product.run("ps").output.contains("\(coordinator.pid) "))
    #expect(try await product.run("stop").status == 0)
    #expect(await coordinator.end().status == 0)
  }

  private static func descriptors(of pid: Int32) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0
  }

  @Test func `talks to no coordinator of another home, and takes no socket from one`() async throws
  {
    let (one, other) = (try Product(), try Product())
    func environment(_ home: Product) -> [String: String] {
      [
        "ORCHESTRATOR_HOME": "", "HOME": home.home, "XDG_RUNTIME_DIR": one.home + "/run",
        "XDG_STATE_HOME": "", "XDG_CACHE_HOME": home.home + "/cache",
      ]
    }
    let (here, there) = (environment(one), environment(other))
    let coordinator = try await one.start(["start", "--no-chat"], environment: here)
    try await one.waitUntilServing(environment: here)
    for command in ["ps", "stop"] {
      let stranger = try await other.run(command, environment: there)
      #expect(stranger.status == 69)
      #expect(stranger.errors.contains("No coordinator"), "\(stranger.errors)")
    }
    let asked = try await other.run("ask", "Hello", "--session", "own", environment: there)
    #expect(asked.status == 0, "\(asked.errors)")
    #expect(try await other.run("sessions", environment: there).output.contains("own"))
    let second = try await other.run("start", "--no-chat", environment: there)
    #expect(second.status == 69)
    #expect(second.errors.contains("pid \(coordinator.pid)"), "\(second.errors)")
    let examined = try await other.run("doctor", environment: there)
    let finding = "another coordinator (pid \(coordinator.pid)"
    #expect(examined.status == 1 && examined.output.contains(finding), "\(examined.output)")
    // None of this cost the first one anything.
    #expect(try await one.run("ps", environment: here).status == 0)
    #expect(try await !one.run("sessions", environment: here).output.contains("own"))
    #expect(try await one.run("stop", environment: here).status == 0)
    #expect(await coordinator.end().status == 0)
  }

  @Test func `finds the coordinator that listens elsewhere`() async throws {
    let product = try Product()
    func environment(_ runtime: String) -> [String: String] {
      [
        "ORCHESTRATOR_HOME": "", "HOME": product.home, "XDG_RUNTIME_DIR": runtime,
        "XDG_STATE_HOME": "", "XDG_CACHE_HOME": product.home + "/cache",
      ]
    }
    let here = environment(product.home + "/run 1")
    let coordinator = try await product.start(["start", "--no-chat"], environment: here)
    try await product.waitUntilServing(environment: here)
    let ps = try await product.run("ps", environment: environment(product.home + "/run 2"))
    #expect(ps.output.contains("\(coordinator.pid)"), "\(ps.errors)")
    let second = try await product.run("start", "--no-chat", environment: here)
    #expect(second.status == 75)
    #expect(second.errors.contains("run 1/orchestrator/coordinator.sock"), "\(second.errors)")
    let stop = try await product.run("stop", environment: environment("relative"))
    #expect(stop.status == 0, "\(stop.errors)")
    #expect(await coordinator.end().status == 0)
  }
}
