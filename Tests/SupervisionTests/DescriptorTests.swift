import Foundation
import Supervision
import Testing

// Each test runs in its own process, because all tests share the descriptors of this one.
@Suite(.timeLimit(.minutes(5))) struct `Descriptors` {
  @Test func `are all closed after 200 children`() async {
    await #expect(processExitsWith: .success) {
      let eventLoop = try ChildEventLoop()
      try await Self.spawn("exit 0", by: eventLoop)
      await Self.launchNothing(by: eventLoop)
      let before = try Self.open()
      // Proves that the count works: it sees one more descriptor, and sees it go.
      let extra = dup(0)
      #expect(try Self.open() == before + 1)
      close(extra)
      for index in 0..<200 {
        try await Self.spawn(index.isMultiple(of: 2) ? "exit 1" : "kill -9 $$", by: eventLoop)
      }
      for _ in 0..<20 { await Self.launchNothing(by: eventLoop) }
      #expect(try Self.open() == before)
    }
  }

  @Test func `that cannot be opened are an error, and none leaks`() async {
    await #expect(processExitsWith: .success) {
      let eventLoop = try ChildEventLoop()
      await Self.launchNothing(by: eventLoop)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var fewer = limit
      fewer.rlim_cur = 64
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &fewer)
      var fillers: [Int32] = []
      while case let filler = dup(0), filler >= 0 { fillers.append(filler) }
      // Enough for the first of three pipes, but not for the second.
      for filler in fillers.suffix(3) { close(filler) }
      for _ in 0..<5 {
        do {
          try await Self.spawn("exit 0", by: eventLoop)
          Issue.record("there was room for three pipes")
        } catch {
          #expect(error as? LaunchError == .system(call: "pipe", code: EMFILE))
        }
      }
      var left = 0
      while dup(0) >= 0 { left += 1 }
      #expect(left == 3)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try await Self.spawn("exit 0", by: eventLoop)
    }
  }

  @Test func `0, 1 and 2 may be closed in this process`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      close(0)
      close(1)
      let eventLoop = try ChildEventLoop()
      let (ends, continuation) = AsyncStream<Supervision.ExitStatus>.makeStream()
      let output = #"[ "$(cat)" = told ] && echo out && echo err >&2 && exit 7"#
      let launch = Launch(executable: "/bin/sh", arguments: ["-c", output], environment: [:])
      let pid = try await eventLoop.launch(launch) { event in
        if case .exited(let status) = event { continuation.yield(status) }
        return .goOn
      }
      eventLoop.write(Array("told".utf8), to: pid)
      eventLoop.closeInput(of: pid)
      for await status in ends { exit(status == .code(7) ? 7 : 1) }
    }
  }

  private static func spawn(_ script: String, by eventLoop: ChildEventLoop) async throws {
    let (ends, continuation) = AsyncStream<Void>.makeStream()
    let launch = Launch(executable: "/bin/sh", arguments: ["-c", script], environment: [:])
    _ = try await eventLoop.launch(launch) { event in
      if case .exited = event { continuation.finish() }
      return .goOn
    }
    for await _ in ends {}
  }

  /// Fails to start a child, after which the event loop has released those whose end it reported.
  private static func launchNothing(by eventLoop: ChildEventLoop) async {
    let missing = Launch(executable: "/nonexistent", arguments: [], environment: [:])
    await #expect(throws: LaunchError.self) {
      _ = try await eventLoop.launch(missing) { _ in .goOn }
    }
  }

  private static func open() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }
}
