import CSystemCalls
import Foundation
import TestSupport
import Testing
import Wire

@testable import Supervision

@Suite(.timeLimit(.minutes(5))) struct `A survivor of an earlier coordinator` {
  @Test func `is killed when it is provably the recorded process`() async throws {
    try await withFolder { folder in
      let child = try await RunningChild.shell("exec sleep 600")
      PIDFiles(folder: folder).record(RunID("w-1"), pid: child.pid)
      #expect(PIDFiles(folder: folder).killSurvivors() == [child.pid])
      #expect(await child.life().status == .signal(SIGKILL))
      // It is ended only once.
      #expect(PIDFiles(folder: folder).killSurvivors() == [])
    }
  }

  @Test func `is left alone when its record was removed`() async throws {
    try await withFolder { folder in
      let child = try await RunningChild.shell("exec sleep 600")
      let files = PIDFiles(folder: folder)
      files.record(RunID("w-1"), pid: child.pid)
      files.remove(RunID("w-1"))
      #expect(files.killSurvivors() == [])
      #expect(kill(child.pid, 0) == 0)
      child.signal(SIGKILL)
      _ = await child.life()
    }
  }

  @Test func `is left alone when its pid was reused or the machine was rebooted`()
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
        #expect(PIDFiles(folder: folder).killSurvivors() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      }
      #expect(kill(child.pid, 0) == 0)
      // Proves that the changes matter: the unchanged identity is ended.
      try identity.description.write(toFile: folder + "/w-1", atomically: true, encoding: .utf8)
      #expect(PIDFiles(folder: folder).killSurvivors() == [child.pid])
      _ = await child.life()
    }
  }

  @Test func `is killed with the programs that outlived it, and no others`()
    async throws
  {
    try await withFolder { folder in
      for (home, isOwn) in [("/scratch/w-2", false), ("/scratch/w-1", true)] {
        let files = PIDFiles(folder: folder)
        let abandoned = try Abandoned(home: home) { files.record(RunID("w-1"), pid: $0) }
        #expect(!Stranger.isRunning(abandoned.leader))
        #expect(getpgid(abandoned.member) == abandoned.leader)
        #expect(files.killSurvivors() == (isOwn ? [abandoned.leader] : []))
        if !isOwn {
          #expect(Stranger.isRunning(abandoned.member))
          kill(abandoned.member, SIGKILL)
        }
        #expect(await Stranger.hasGone(abandoned.member))
      }
    }
  }

  @Test func `has no identity once it is gone`() {
    #expect(ProcessIdentity(of: .max) == nil)
    #expect(ProcessIdentity(of: getpid()) == ProcessIdentity(of: getpid()))
    #expect(ProcessIdentity(of: getpid()) != ProcessIdentity(of: getppid()))
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }
}

/// A process group whose leader is gone but in which a program is still running.
private struct Abandoned {
  let leader: Int32
  let member: Int32

  init(home: String, onStart: (Int32) -> Void) throws {
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    try #require(csystem_pipe(&input) == 0 && csystem_pipe(&output) == 0)
    defer { for end in [input[0], output[0], output[1]] { close(end) } }
    var words = Self.copies(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!; read x"])
    var variables = Self.copies(["HOME=\(home)", "PATH=/usr/bin:/bin"])
    defer { for word in words + variables { free(word) } }
    var pid: pid_t = 0
    let problem = csystem_spawn(
      "/bin/sh",
      &words,
      &variables,
      input[0],
      output[1],
      output[1],
      &pid
    )
    try #require(problem == 0)
    leader = pid
    onStart(pid)
    var line = [UInt8](repeating: 0, count: 64)
    let count = read(output[0], &line, line.count)
    member = try #require(Int32(String(decoding: line.prefix(max(0, count - 1)), as: UTF8.self)))
    // The program reaches the end of its input and ends.
    close(input[1])
    waitpid(pid, nil, 0)
  }

  /// Copies words to C strings, as the system expects them.
  private static func copies(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
    words.map { strdup($0) } + [nil]
  }
}
