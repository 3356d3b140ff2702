import Foundation
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `What an earlier coordinator has left` {
  @Test func `is ended when it is provably the process that was noted`() async throws {
    try await withFolder { folder in
      let child = try await RunningChild.shell("exec sleep 600")
      Leftovers(folder: folder).note(RunID("w-1"), pid: child.pid)
      #expect(Leftovers(folder: folder).sweep() == [child.pid])
      #expect(await child.life().status == .signal(SIGKILL))
      // It is ended once.
      #expect(Leftovers(folder: folder).sweep() == [])
    }
  }

  @Test func `is left alone when it was forgotten`() async throws {
    try await withFolder { folder in
      let child = try await RunningChild.shell("exec sleep 600")
      let leftovers = Leftovers(folder: folder)
      leftovers.note(RunID("w-1"), pid: child.pid)
      leftovers.forget(RunID("w-1"))
      #expect(leftovers.sweep() == [])
      #expect(kill(child.pid, 0) == 0)
      child.signal(SIGKILL)
      _ = await child.life()
    }
  }

  @Test func `is left alone when another process has its number, or the machine was started again`()
    async throws
  {
    try await withFolder { folder in
      let child = try await RunningChild.shell("exec sleep 600")
      let identity = try #require(ProcessIdentity(of: child.pid))
      #expect(ProcessIdentity(identity.description) == identity)
      let words = identity.description.split(separator: " ").map(String.init)
      for changed in [
        [words[0], "\((Int(words[1]) ?? 0) - 1)", words[2]],
        [words[0], words[1], String(words[2].reversed())],
        [words[0]], ["0", words[1], words[2]], ["-1", words[1], words[2]], [],
      ] {
        try changed.joined(separator: " ")
          .write(toFile: folder + "/w-1", atomically: true, encoding: .utf8)
        #expect(Leftovers(folder: folder).sweep() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      }
      #expect(kill(child.pid, 0) == 0)
      // The detector: with nothing changed it is ended.
      try identity.description.write(toFile: folder + "/w-1", atomically: true, encoding: .utf8)
      #expect(Leftovers(folder: folder).sweep() == [child.pid])
      _ = await child.life()
    }
  }

  @Test func `has no identity when it is no process any more`() {
    #expect(ProcessIdentity(of: .max) == nil)
    #expect(ProcessIdentity(of: getpid()) == ProcessIdentity(of: getpid()))
    #expect(ProcessIdentity(of: getpid()) != ProcessIdentity(of: getppid()))
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "left-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }
}
