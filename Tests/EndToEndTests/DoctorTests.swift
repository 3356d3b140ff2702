import FlyingSocks
import Foundation
import GRDB
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct `The doctor` {
  private struct Line: Decodable, Sendable {
    let subject: String
    let verdict: String
    let finding: String
    let remedy: String?
  }

  private static let subjects = [
    "toolchain", "libllama", "model", "agents", "sandbox", "launcher", "limits", "memory", "state",
    "journal", "sockets", "clients",
  ]

  @Test func `finds nothing wrong where everything works`() async throws {
    let product = try Product()
    let (lines, outcome) = try await examine(product, "--agents \(Product.agents)")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(lines.map(\.subject) == Self.subjects)
    #expect(lines.allSatisfy { $0.verdict != "failure" && !$0.finding.isEmpty })
    let host = "here=\(Product.folder)/orchestrator-worker --outpost"
    let text = try await product.run("doctor", "--agents", Product.agents, "--host", host)
    #expect(text.status == 0)
    for words in ["here was up after", "here: a short message is there and back in"] {
      #expect(text.lines.contains { $0.hasPrefix("ok       host: \(words)") }, "\(text.output)")
    }
    #expect(text.lines.contains { $0.hasPrefix("ok       toolchain: ") }, "\(text.output)")
  }

  @Test(arguments: [
    // A shell command that breaks something, the options, the subject and the verdict.
    ("export ORCHESTRATOR_SWIFTC=/nonexistent", "", "toolchain", "failure"),
    ("", "--model /dev/null", "model", "failure"),
    ("", "--model /nonexistent.gguf", "model", "failure"),
    (
      "cd $ORCHESTRATOR_HOME; printf GGUF > huge.gguf; truncate -s 8T huge.gguf",
      "--model $ORCHESTRATOR_HOME/huge.gguf",
      "memory", "warning"
    ),
    ("", "--agents /nonexistent", "agents", "failure"),
    (
      "mkdir $ORCHESTRATOR_HOME/A; echo 'struct Broken: Agent {' > $ORCHESTRATOR_HOME/A/Broken.swift",
      "--agents $ORCHESTRATOR_HOME/A", "agents", "failure"
    ),
    ("", "--sandbox off", "sandbox", "warning"),
    ("", "--sandbox off --launcher bubblewrap", "launcher", "failure"),
    ("", "--caps speed=9", "caps", "failure"), ("", "--context 7", "context", "failure"),
    ("", "--projector /nonexistent.gguf", "projector", "failure"),
    ("", "--projector \(Product.model)", "projector", "failure"),
    ("touch $ORCHESTRATOR_HOME/state", "", "state", "failure"),
    ("touch $ORCHESTRATOR_HOME/state", "", "agents", "warning"),
    ("", "--context 255", "context", "failure"),
    ("", "--agent nobody", "agent", "failure"), ("", "--allow x=foo", "allow", "failure"),
    ("", "--allow nobody", "allow", "warning"),
    ("ulimit -n 200", "", "limits", "warning"),
    ("ulimit -f 100000", "", "limits", "warning"),
    ("export ORCHESTRATOR_HOME=/dev/null/home", "", "state", "failure"),
    (
      "mkdir -p $ORCHESTRATOR_HOME/state; head -c 9000 /dev/zero > $ORCHESTRATOR_HOME/state/journal.sqlite",
      "", "journal", "failure"
    ),
    ("mkdir -p $ORCHESTRATOR_HOME/state/journal.sqlite", "", "journal", "failure"),
    ("ln -s /tmp $ORCHESTRATOR_HOME/run", "", "sockets", "failure"),
    ("", "--listen 0.0.0.0:8765", "listen", "failure"),
    ("", "--telemetry localhost:4318", "telemetry", "failure"),
    ("export OTEL_EXPORTER_OTLP_ENDPOINT=http://example.com", "", "telemetry", "warning"),
    ("", "--listen 0.0.0.0:8765 --listen-beyond-loopback", "listen", "warning"),
  ])
  func `names what is broken, and what to do about it`(
    before: String,
    options: String,
    subject: String,
    verdict: String
  ) async throws {
    let product = try Product()
    let agents = options.contains("--agents") ? "" : "--agents \(Product.agents)"
    let (lines, outcome) = try await examine(product, "\(agents) \(options)", before: before)
    let found = lines.filter { $0.subject == subject && $0.verdict == verdict }
    #expect(!found.isEmpty, "\(outcome.output) \(outcome.errors)")
    #expect(found.allSatisfy { $0.remedy?.isEmpty == false })
    #expect((outcome.status != 0) == lines.contains { $0.verdict == "failure" })
    // The examination continues to the end.
    #expect(Set(lines.map(\.subject)).isSuperset(of: ["sandbox", "limits", "memory"]))
  }

  @Test func `names the variable that moves the sockets of this home`() async throws {
    let product = try Product()
    let options = "--agents \(Product.agents)"
    let before = "ln -s /tmp $ORCHESTRATOR_HOME/run"
    let (lines, outcome) = try await examine(product, options, before: before)
    let remedy = lines.first { $0.subject == "sockets" }?.remedy
    #expect(remedy == "set ORCHESTRATOR_HOME to a folder that you own", "\(outcome.output)")
  }

  @Test func `names an entry that cannot be read, and a port that is taken`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    #expect(try await product.run("ask", "Hello", "--agents", agents).status == 0)
    let queue = try DatabaseQueue(path: product.home + "/state/journal.sqlite")
    try await queue.write { db in
      try db.execute(sql: "UPDATE fact SET payload = '{}' WHERE kind = 'recorded'")
    }
    try queue.close()
    let other = try Socket(domain: AF_INET)
    defer { try? other.close() }
    try other.bind(to: .inet(ip4: "127.0.0.1", port: 0))
    try other.listen()
    guard case .ip4(_, let port) = try other.sockname() else {
      Issue.record("The socket has no port.")
      return
    }
    let (lines, outcome) = try await examine(product, "--agents \(agents) --listen \(port)")
    #expect(outcome.status == 1)
    func finding(_ subject: String) -> String {
      lines.first { $0.subject == subject && $0.verdict == "failure" }?.finding ?? ""
    }
    #expect(
      finding("journal").contains(/1 flaw: fact [0-9]+: it cannot be read/),
      "\(outcome.output)"
    )
    #expect(finding("journal").hasSuffix("(session 'default')"), "\(outcome.output)")
    #expect(finding("listen").contains("127.0.0.1:\(port): Address already in use"))
    // The command that would show the value reports the same, and that only one value is affected.
    let transcript = try await product.run("transcript")
    #expect(transcript.status == 1)
    #expect(transcript.errors.contains("the others are intact"), "\(transcript.errors)")
  }

  @Test func `calls no agent unknown because it cannot be used now`() async throws {
    let product = try Product()
    let agents = try product.writeBrief()
    try "struct Broken: Agent {".write(
      toFile: agents + "/Broken.swift",
      atomically: true,
      encoding: .utf8
    )
    let (lines, outcome) = try await examine(product, "--agents \(agents) --allow broken")
    let allow = lines.first { $0.subject == "allow" && $0.verdict == "warning" }
    let words = "among those that can be used now"
    #expect(allow?.finding.hasSuffix(words) == true, "\(outcome.output)")
    #expect(allow?.remedy == "run 'orchestrator agents check'")
  }

  @Test func `examines the agents also where --allow is wrong`() async throws {
    let options = "--agents \(Product.agents) --allow x=foo"
    let (lines, outcome) = try await examine(try Product(), options)
    let agents = lines.filter { $0.subject == "agents" }
    #expect(agents.contains { $0.verdict == "ok" }, "\(outcome.output)")
    #expect(agents.allSatisfy { $0.verdict != "failure" }, "\(outcome.output)")
  }

  @Test func `says of each option that was given how it was read`() async throws {
    let product = try Product()
    let projector = product.home + "/projector.gguf"
    try TinyVision.pocketProjector().write(to: URL(filePath: projector))
    let options = """
      --agents \(Product.agents) --agent coach --caps rounds=4 --context 512 --allow coach=network \
      --projector \(projector)
      """
    let (lines, outcome) = try await examine(product, options)
    #expect(outcome.status == 0, "\(outcome.output)")
    for (subject, finding) in [
      ("agent", "coach starts new sessions"), ("caps", "rounds=4"), ("context", "512 tokens"),
      ("allow", "coach=network"),
      ("projector", "\(projector), with \(Product.model)"),
    ] {
      let found = lines.filter { $0.subject == subject }
      #expect(found.map(\.verdict) == ["ok"], "\(subject)")
      #expect(found.map(\.finding) == [finding])
    }
  }

  @Test func `names a worker that cannot be run`() async throws {
    let product = try Product()
    let folder = product.home + "/bin"
    let worker = #"""
      #!/bin/sh
      [ "$1" = --fingerprint ] && exec echo abc
      echo no such library
      exit 127
      """#
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try worker.write(toFile: folder + "/orchestrator-worker", atomically: true, encoding: .utf8)
    let setup = """
      chmod +x \(folder)/orchestrator-worker; cp \(Product.executable) \(folder)/; \
      for made in Modules AgentKitMacros-tool; do ln -s \(Product.folder)/$made \(folder)/; done; \
      PATH=\(folder):$PATH
      """
    let options = "--agents \(Product.agents) --model \(Product.model)"
    let (lines, outcome) = try await examine(product, options, before: setup)
    #expect(outcome.status == 1)
    let line = lines.first { $0.subject == "libllama" }
    #expect(line?.verdict == "failure", "\(outcome.output)")
    #expect(line?.finding.contains("no such library") == true, "\(outcome.output)")
  }

  @Test func `names a coordinator that does not answer, and one that does`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    let options = "--agents \(Product.agents)"
    let answering = try await examine(product, options).lines.first { $0.subject == "sockets" }
    #expect(answering?.finding.contains("pid \(coordinator.pid)") == true)
    coordinator.signal(SIGSTOP)
    let (lines, outcome) = try await examine(product, options)
    let silent = lines.first { $0.subject == "sockets" }
    #expect(silent?.verdict == "warning", "\(outcome.output)")
    await coordinator.end(by: SIGKILL)
  }

  private func examine(
    _ product: Product,
    _ options: String,
    before: String = ""
  ) async throws -> (lines: [Line], outcome: Product.Outcome) {
    let prefix = before.isEmpty ? "" : before + "; "
    let outcome = try await product.shell("\(prefix)orchestrator doctor --json \(options)")
    let lines = try? JSONDecoder().decode([Line].self, from: Data(outcome.output.utf8))
    return (try #require(lines, "\(outcome.output) \(outcome.errors)"), outcome)
  }
}
