import Foundation
import Supervision
import TestSupport
import Testing

/// What a killed coordinator leaves behind, and what the next one does with it.
@Suite(.timeLimit(.minutes(10))) struct `After a coordinator was killed` {
  @Test func `the next ends the processes that are provably its own, and no others`() async throws {
    let product = try Product()
    let folder = product.home + "/state/processes"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let scratch = product.home + "/state/scratch/lost-1"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let eventLoop = try ChildEventLoop()
    func sleeper() async throws -> Session {
      try await Session(
        Launch(executable: "/bin/sleep", arguments: ["600"], environment: [:]),
        eventLoop: eventLoop
      )
    }
    let (left, other) = (try await sleeper(), try await sleeper())
    let identity = try #require(ProcessIdentity(of: left.pid))
    try "\(identity)\n".write(toFile: folder + "/lost-1", atomically: true, encoding: .utf8)
    // This note has the pid of the other process but a different start time.
    let words = identity.description.split(separator: " ").map(String.init)
    try "\(other.pid) 1 \(words[2])\n"
      .write(toFile: folder + "/lost-2", atomically: true, encoding: .utf8)

    let answer = try await product.run("ask", "Hello")
    #expect(answer.status == 0, "\(answer.errors)")
    let notes = answer.notes(containing: "an earlier coordinator left")
    #expect(notes.count == 1 && notes.allSatisfy { $0.hasSuffix("pid \(left.pid).") }, "\(notes)")
    #expect(await left.end().status == 1000 + SIGKILL)
    #expect(kill(other.pid, 0) == 0)
    #expect(!FileManager.default.fileExists(atPath: scratch))
    // It leaves no notes about its own processes.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    await other.end(by: SIGKILL)
  }

  @Test func `its workers are told as lost, and every one of them was noted`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    #expect(try await product.run("ask", "Hello").status == 0)
    let folder = product.home + "/state/processes"
    // A worker that is being forked is noted a moment later.
    try await eventually("every worker is noted") {
      let workers = product.processes().filter { $0.value == "orchestrator-worker" }.keys
      let noted = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        ProcessIdentity((try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) ?? "")
      }
      return !workers.isEmpty
        && workers.allSatisfy { worker in noted.contains { $0 == ProcessIdentity(of: worker) } }
    }

    await coordinator.end(by: SIGKILL)
    #expect(try await product.run("ask", "Hello").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    let logs = try await product.run("logs")
    #expect(logs.output.contains("lost: its coordinator stopped first"), "\(logs.output)")
    #expect(!logs.output.contains("unknown"))
  }

  @Test func `nothing that the coordinator had open was open in a worker`() async throws {
    let product = try Product()
    let coordinator = try await product.open("start", "--no-chat")
    try await product.waitUntilServing()
    // The prompt arrives over a connection that is open while the worker starts.
    #expect(try await product.run("ask", "Hello").status == 0)
    let own = Self.descriptors(of: coordinator.pid)
    let sockets = Set(own.filter { $0.hasPrefix("socket:") })
    // Proves that the search works: the coordinator has its journal, its lock and sockets open.
    #expect(own.contains { $0.hasSuffix("journal.sqlite") })
    #expect(own.contains { $0.hasSuffix("coordinator.lock") })
    #expect(!sockets.isEmpty)
    let workers = product.processes().filter { $0.value == "orchestrator-worker" }.keys
    #expect(!workers.isEmpty)
    for worker in workers {
      let descriptors = Self.descriptors(of: worker)
      #expect(!descriptors.isEmpty)
      #expect(descriptors.filter { $0.hasPrefix(product.home + "/state") } == [])
      #expect(sockets.intersection(descriptors) == [])
    }
    await coordinator.end(by: SIGTERM)
  }

  @Test func `the next finishes what was under way in another session, without a prompt`()
    async throws
  {
    let product = try Product()
    let agents = try product.write(Self.sleeper, as: "Sleeper")
    let first = try await product.open("start", "--agents", agents, "--session", "story")
    first.type("Good night\n")
    #expect(await first.waitForErrors { $0.contains("sleeper calls sleep") })
    await first.end(by: SIGKILL)
    // This chat belongs to another session and ends at once.
    let next = try await product.run("start", "--agents", agents, "--session", "other")
    #expect(next.status == 0, "\(next.errors)")
    #expect(next.output.isEmpty)
    let notes = next.notes(containing: "session 'story': ")
    #expect(
      notes == [
        "session 'story': resuming an interrupted turn: Good night",
        "session 'story': the interrupted turn ended: answered",
      ]
    )
    let transcript = try await product.run("transcript", "story")
    #expect(transcript.output.contains("I am awake."), "\(transcript.output)")
  }

  @Test(arguments: [(SIGTERM, "under way"), (SIGINT, "cancelled (rolled back)")])
  func `the next leaves what it goes on with to another, but for Ctrl-C in the chat`(
    signal: Int32,
    state: String
  ) async throws {
    let product = try Product()
    let again = "let isIdempotent = true; @Generable struct"
    let source = Self.sleeper.replacingOccurrences(of: "@Generable struct", with: again)
    let agents = try product.write(source, as: "Sleeper")
    let first = try await product.open("start", "--agents", agents)
    first.type("Good night\n")
    #expect(await first.waitForErrors { $0.contains("sleeper calls sleep") })
    await first.end(by: SIGKILL)
    let next = try await product.open("start", "--agents", agents)
    #expect(await next.waitForErrors { $0.contains("resuming an interrupted turn: Good night") })
    next.signal(signal)
    #expect(await next.end().status == 128 + signal)
    let transcript = try await product.run("transcript")
    #expect(transcript.output.contains("── \(state)"), "\(transcript.output)")
  }

  @Test func `the next leaves what was under way in a file to a prompt, also in its chat`()
    async throws
  {
    let (here, there) = (try Product(), try Product())
    let own = try here.write(Self.sleeper, as: "Sleeper")
    let first = try await here.open("start", "--agents", own, "--session", "story")
    first.type("Good night\n")
    #expect(await first.waitForErrors { $0.contains("sleeper calls sleep") })
    await first.end(by: SIGKILL)
    let file = here.home + "/story.jsonl"
    #expect(try await here.run("sessions", "export", "story", file).status == 0)
    let imported = try await there.run("sessions", "import", file)
    #expect(imported.status == 0)
    #expect(imported.errors.contains("waiting for the session's next prompt"))
    let agents = try there.write(Self.sleeper, as: "Sleeper")
    for session in ["other", "story"] {
      let next = try await there.run("start", "--agents", agents, "--session", session)
      #expect(next.status == 0, "\(next.errors)")
      #expect(next.errors.contains("waiting for the session's next prompt"), "\(next.errors)")
      #expect(!next.errors.contains("resuming"), "\(next.errors)")
      let transcript = try await there.run("transcript", "story")
      #expect(transcript.output.contains("── under way"), "\(transcript.output)")
    }
  }

  /// An agent whose tool takes very long.
  private static let sleeper = """
    import AgentKit

    struct Sleeper: Agent {
      let name = "sleeper"
      let description = "sleeps"

      static let model = ScriptedLanguageModel { request in
        if case .toolOutput = request.transcript.last { return .text("I am awake.") }
        return .call("sleep", #"{"seconds": 600}"#)
      }

      var body: some DynamicProfile {
        Profile {
          Instructions("Sleep.")
          Sleep()
        }
        .model(Self.model)
      }
    }

    struct Sleep: Tool {
      let name = "sleep"
      let description = "Sleeps."
      @Generable struct Arguments { var seconds: Int }

      func call(arguments: Arguments) async throws -> String {
        try await Task.sleep(for: .seconds(arguments.seconds))
        return "slept"
      }
    }
    """

  private static func descriptors(of pid: Int32) -> [String] {
    let folder = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }
}
