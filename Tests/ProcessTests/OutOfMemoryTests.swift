import AgentKit
import Coordination
import Foundation
import Journal
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker that runs out of memory` {
  @Test(.disabled(if: Sanitizer.isThere, "its reserve counts, and is always near the bound"))
  func `of its own limit dies of that, and the turn goes on`() async throws {
    try await Stage.set(isConfined: true) { stage in
      let turn = try await stage.ask("do hoard")
      #expect(turn.exit == .answered)
      let end = try Self.outOfMemory(stage.traffic.lines(of: "puppet").first?.death)
      guard case .refused(let used, let limit) = end else {
        Issue.record("\(end)")
        return
      }
      // One more piece would not have fitted.
      #expect(used <= limit && used + 1 << 25 > limit, "\(end)")
      // Proves the distinction: a death from another cause is reported as such.
      _ = try await stage.ask("do trap")
      let causes = stage.traffic.lines(of: "puppet").map(\.death?.cause)
      #expect(causes.contains(.signaled(SIGILL)), "\(causes)")
      // The journal holds it as it is shown in the list of workers and in the transcript.
      let reader = JournalReader(stage.journal)
      #expect(try await reader.runs().contains { $0.outcome == end.description })
      let record = try #require(try await reader.conversation(named: "test"))
      let deaths = try await reader.deaths(of: record.id)
      #expect(deaths.first?.cause == end.description)
    }
  }

  @Test func `as a friend reports that to its caller`() async throws {
    try await Stage.set(isConfined: true) { stage in
      let turn = try await stage.ask("phone do hoard;say fine")
      #expect(turn.exit == .answered)
      #expect(turn.answer?.contains("it ran out of memory: it had ") == true, "\(turn)")
      #expect(turn.answer?.hasSuffix(" + fine") == true)
    }
  }

  @Test(.enabled(if: MemoryGroup.canBeMade, "no control group with a limit can be made here"))
  func `of its group is told from one that is killed by a signal`() async throws {
    let group = try MemoryGroup(bytes: 100 << 20)
    defer { group.remove() }
    try await Stage.set { stage in
      try group.run(stage.troupe.worker, as: stage.folder + "/grouped")
      let roster = try Roster(executable: stage.folder + "/grouped")
      func death(by act: String) async throws -> Death? {
        let configuration = WorkerConfiguration(
          run: .new(agent: "puppet"),
          plugin: stage.troupe.plugin("puppet"),
          model: nil,
          contextSize: nil
        )
        return try await Self.death(
          of: try await roster.launch(configuration, log: "/dev/null"),
          by: act
        )
      }
      #expect(try await death(by: "do kill")?.cause == .signaled(SIGKILL))
      #expect(try Self.outOfMemory(try await death(by: "do fill")) == .killed)
      #expect(try await death(by: "do kill")?.cause == .signaled(SIGKILL))
      await roster.close()
    }
  }

  private static func outOfMemory(_ death: Death?) throws -> OutOfMemory {
    guard case .outOfMemory(let end)? = death?.cause else {
      throw AnotherEnd(death: death)
    }
    return end
  }

  private struct AnotherEnd: Error {
    let death: Death?
  }

  /// Makes a worker perform an act that ends it.
  private static func death(of worker: WorkerHandle, by act: String) async throws -> Death? {
    for await event in worker.events {
      switch event {
      case .message(.ready): try worker.send(.turn(Turns.prompt(act)))
      case .message(let message):
        if let reply = Turns.reply(to: message) { try worker.send(reply) }
      case .ended(let death): return death
      }
    }
    return nil
  }
}

/// A control group with a memory limit, for the duration of a test.
private struct MemoryGroup {
  let bytes: Int
  private let folder: String

  static var canBeMade: Bool {
    guard let group = try? MemoryGroup(bytes: 1 << 30) else { return false }
    group.remove()
    return true
  }

  init(bytes: Int) throws {
    self.bytes = bytes
    let membership = try String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
    let lines = membership.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 2) }
    let ofMemory = lines.first { $0.count == 3 && $0[1] == "memory" }
    let own = (ofMemory ?? lines.first { $0.count < 3 })?.last ?? "/"
    let root = "/sys/fs/cgroup" + (ofMemory == nil ? "" : "/memory")
    folder = "\(root)\(own)/orchestrator-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    do {
      let bound = ofMemory == nil ? "memory.max" : "memory.limit_in_bytes"
      let file = try FileHandle(forWritingTo: URL(filePath: "\(folder)/\(bound)"))
      try file.write(contentsOf: Data("\(bytes)".utf8))
      // Swap would be filled first; the file is missing if swap is not accounted for.
      try? Data("0".utf8).write(to: URL(filePath: "\(folder)/memory.swap.max"))
    } catch {
      rmdir(folder)
      throw error
    }
  }

  /// Writes a script that runs a program in the group.
  func run(_ program: String, as path: String) throws {
    let script = "#!/bin/sh\necho $$ > \(folder)/cgroup.procs\nexec \(program) \"$@\"\n"
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  func remove() { rmdir(folder) }
}
