import Foundation
import MCP
import Supervision
import TestSupport
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(5)), .enabled(if: Program.isPythonHere))
struct `A server that misbehaves` {
  @Test(arguments: ["good", "quiet"])
  func `or not is asked in its era`(kind: String) async throws {
    try await ServerStage.set(kind) { (stage) async throws in
      #expect(try await stage.answer("echo", "hello") == "hello")
      #expect(stage.lists.all.map { $0.map(\.name) } == [["echo", "pid", "write"]])
      #expect(await stage.connection.status().version == "2025-06-18")
    }
  }

  @Test func `by talking between messages is understood all the same`() async throws {
    try await ServerStage.set("babbling") { (stage) async throws in
      #expect(try await stage.answer("echo", "hello") == "hello")
      #expect(stage.log.contains("skipped: Welcome to the server!"))
    }
  }

  @Test func `by silence is given up in time, and killed`() async throws {
    var options = MCPServerOptions()
    options.startTimeout = 3
    try await ServerStage.set("silent", options: options) { (stage) async throws in
      #expect(try await stage.problem("echo") == "it did not answer within 3 s.")
      #expect(await stage.connection.status().pid == nil)
    }
  }

  @Test func `by dying at its start leaves its last words, and is restarted three times at most`()
    async throws
  {
    try await ServerStage.set("dying") { (stage) async throws in
      for _ in 1...3 {
        let problem = try await stage.problem("echo")
        #expect(problem.contains("it ended with code 1: AttributeError"), "\(problem)")
      }
      let problem = try await stage.problem("echo")
      #expect(problem.contains("it has failed too often"), "\(problem)")
    }
  }

  @Test func `by dying in a call is started again for the next one`() async throws {
    try await ServerStage.set("mortal") { (stage) async throws in
      let problem = try await stage.problem("echo")
      #expect(problem.contains("signal 9: these are my last words"), "\(problem)")
      #expect(try await stage.problem("pid").contains("signal 9"))
    }
  }

  @Test func `by an endless line is killed, and its call is answered`() async throws {
    try await ServerStage.set("flood") { (stage) async throws in
      #expect(try await stage.problem("echo") == "it wrote a line of more than 16 MiB.")
    }
  }

  @Test func `by not answering a call is asked no longer than agreed`() async throws {
    var options = MCPServerOptions()
    options.callTimeout = 1
    try await ServerStage.set("sleepy", options: options) { (stage) async throws in
      for _ in 1...2 {
        guard case .answered(.timedOut(seconds: 1), _) = await stage.call("echo") else {
          Issue.record("It was waited for.")
          return
        }
      }
    }
  }

  @Test func `and whose call is cancelled answers nothing more`() async throws {
    try await ServerStage.set("sleepy") { (stage) async throws in
      try await stage.connection.ready()
      let call = Task { await stage.call("echo") }
      try await eventually("the call is made") { await stage.connection.status().calls == 1 }
      call.cancel()
      let outcome = await call.value
      #expect(outcome.request != nil, "\(outcome)")
      #expect(await stage.connection.status().calls == 0)
    }
  }

  @Test func `by changing its tools has them listed again`() async throws {
    try await ServerStage.set("changing") { (stage) async throws in
      #expect(try await stage.answer("write") == "changing")
      try await eventually("the list is read again") { stage.lists.all.count == 2 }
      let lists = stage.lists.all.map { $0.map(\.description) }
      #expect(lists[0].contains("Says it again."))
      #expect(lists[1].contains("Says it otherwise."))
    }
  }

  @Test func `by writing where it may not is refused by the kernel`() async throws {
    try await ServerStage.set("good") { (stage) async throws in
      #expect(try await stage.answer("write", "note") == "written")
      #expect(FileManager.default.fileExists(atPath: "\(stage.folder)/written"))
    }
    try await ServerStage.set("good", mayWrite: false) { (stage) async throws in
      let problem = try await stage.problem("write")
      #expect(problem.contains("Permission denied"), "\(problem)")
      #expect(!FileManager.default.fileExists(atPath: "\(stage.folder)/written"))
    }
  }

  @Test(arguments: [true, false])
  func `by ignoring what ends it is killed with all that it started`(isConfined: Bool) async throws
  {
    try await ServerStage.set("deaf", isConfined: isConfined) { (stage) async throws in
      let answer = try await stage.answer("pid")
      let pid = try #require(Int32(answer))
      let child = try #require(stage.log.firstMatch(of: /child (\d+)/).flatMap { Int32($0.1) })
      #expect(Stranger.isRunning(pid))
      #expect(Stranger.isRunning(child))
      await stage.connection.close()
      #expect(await Stranger.hasGone(pid))
      #expect(await Stranger.hasGone(child))
    }
  }
}

// The coordinator runs in its own process here because it is killed.
@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: Program.isPythonHere))
struct `A killed coordinator with a server` {
  @Test(arguments: [true, false])
  func `leaves neither it nor what it started`(isConfined: Bool) async throws {
    let result =
      isConfined
      ? await #expect(
        processExitsWith: .signal(SIGKILL),
        observing: [\.standardOutputContent]
      ) { try await Self.serve(isConfined: true) }
      : await #expect(
        processExitsWith: .signal(SIGKILL),
        observing: [\.standardOutputContent]
      ) { try await Self.serve(isConfined: false) }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let pids = output.matches(of: /pid (\d+)/).compactMap { Int32($0.1) }
    #expect(pids.count == 2)
    for pid in pids { #expect(await Stranger.hasGone(pid)) }
    for match in output.matches(of: /folder (\S+)/) {
      try FileManager.default.removeItem(atPath: String(match.1))
    }
  }

  private static func serve(isConfined: Bool) async throws {
    let folder = try temporaryFolder()
    let stage = try await ServerStage(
      "deaf",
      folder: folder,
      eventLoop: try ChildEventLoop(),
      isConfined: isConfined,
      options: MCPServerOptions()
    )
    let pid = try await stage.answer("pid")
    guard let child = stage.log.firstMatch(of: /child (\d+)/)?.1 else { exit(1) }
    let words = Array("\npid \(pid)\npid \(child)\nfolder \(folder)\n".utf8)
    _ = write(1, words, words.count)
    kill(getpid(), SIGKILL)
  }
}
