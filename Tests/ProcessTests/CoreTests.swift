import AgentKit
import Coordination
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(10)), .serialized) struct `Workers that share cores` {
  @Test func `compute on no more than there are, eight at a time`() async throws {
    let things = ["boat", "kite", "fox", "lamp", "mask", "drum", "cup", "owl"]
    let cores = TracedCores(2)
    try await WarmStage.set(cores: cores) { stage in
      let alone = try await stage.titles(of: things)
      #expect(cores.trace.crowd == 1)
      #expect(cores.trace.peak == 2, "a single process has all of them")
      let together = try await stage.titlesAtOnce(of: things)
      #expect(together == alone, "and says the same on one of them")
      #expect(cores.trace.crowd == 2)
      #expect(cores.trace.peak == 2)
      #expect(cores.cores.load == CoreLoad(cores: 2, busy: 0, waiting: 0))
    }
  }

  @Test(.enabled(if: Threads.slice(of: getpid(), getpid()) != nil, "the kernel shows no slices"))
  func `compute on threads that others do not wait for`() async throws {
    let cores = TracedCores(2)
    try await WarmStage.set(cores: cores) { stage in
      let link = try await stage.worker("title")
      _ = try await link.ask("A project about a boat")
      let plain = try #require(Threads.slice(of: link.worker.pid, link.worker.pid))
      let slices = try Threads.slices(of: link.worker.pid)
      #expect(slices.contains(5_000_000))
      #expect(slices.count { $0 == plain } >= 2, "the main thread, and the one that hears")
    }
  }

  @Test func `give a core back when they are killed with it, or while they wait for it`()
    async throws
  {
    let cores = TracedCores(1)
    try await WarmStage.set(cores: cores) { stage in
      _ = try await stage.worker("title").ask("A project about a boat")
      await cores.take(as: "test")
      let waiting = try await stage.worker("title")
      let answer = Task { try await waiting.ask("A project about a kite") }
      try await eventually("the worker waits") {
        cores.cores.wait(of: waiting.worker.run) != nil
      }
      waiting.worker.terminate(reason: .hung(seconds: 0))
      await #expect(throws: WarmWorker.Ended.self) { try await answer.value }
      #expect(cores.cores.load == CoreLoad(cores: 1, busy: 1, waiting: 0))

      let computing = try await stage.worker("title")
      let other = Task { try await computing.ask("A project about a fox") }
      try await eventually("the worker waits") {
        cores.cores.wait(of: computing.worker.run) != nil
      }
      // Stopped before it learns that it may compute, so that it cannot finish too soon.
      kill(computing.worker.pid, SIGSTOP)
      cores.giveBack(RunID("test"))
      #expect(cores.trace.holders == [computing.worker.run])
      computing.worker.terminate(reason: .hung(seconds: 0))
      await #expect(throws: WarmWorker.Ended.self) { try await other.value }
      #expect(cores.cores.load == CoreLoad(cores: 1, busy: 0, waiting: 0))
      #expect(!(try await stage.worker("title").ask("A project about a cup")).entries.isEmpty)
    }
  }

  @Test func `leave the queue when their turn is cancelled, and live on`() async throws {
    let cores = TracedCores(1)
    try await ThinkingStage.set(cores: cores) { stage in
      #expect(try await stage.ask("say before").answer == "before")
      await cores.take(as: "test")
      async let turn = stage.ask("say never")
      try await eventually("the worker waits") { cores.cores.load.waiting > 0 }
      try await stage.cancel()
      #expect(try await turn.exit == .cancelled)
      #expect(cores.cores.load == CoreLoad(cores: 1, busy: 1, waiting: 0))
      cores.giveBack(RunID("test"))
      #expect(try await stage.ask("say after").answer == "after")
      #expect(stage.traffic.lines.count == 1)
    }
  }

  @Test func `that wait end with the cap on seconds`() async throws {
    let cores = TracedCores(1)
    try await ThinkingStage.set(cores: cores) { stage in
      await cores.take(as: "test")
      let turn = try await stage.ask("say never", seconds: 1)
      #expect(turn.exit == .cap("seconds"))
      cores.giveBack(RunID("test"))
    }
  }

  @Test func `hold none while they wait for friends of friends, more than there are cores`()
    async throws
  {
    let cores = TracedCores(1)
    try await ThinkingStage.set(cores: cores) { stage in
      let prompt = "phone phone phone say deep;phone say flat;say wide"
      let turn = try await stage.ask(prompt, seconds: 240, rounds: 64)
      #expect(turn.answer?.hasPrefix("deep") == true, "\(turn)")
      #expect(turn.answer?.hasSuffix("wide") == true)
      // Every worker has computed, and those that phoned did so before and after the call.
      #expect(stage.traffic.lines.count == 7)
      #expect(cores.trace.grants.count >= 7 + 4)
      #expect(Set(cores.trace.grants).count == 7)
      #expect(cores.trace.peak == 1)
    }
  }

  @Test func `are shown to the person who waits, with their place`() async throws {
    let cores = TracedCores(1)
    try await ThinkingStage.set(cores: cores) { stage in
      let watching = Task { await stage.sessions.watchCores() }
      defer { watching.cancel() }
      _ = try await stage.ask("say before")
      await cores.take(as: "test")
      let turn = try await stage.ask("say after") { event in
        guard case .coreAwaited("puppet", place: 1, cores: 1) = event else { return }
        cores.giveBack(RunID("test"))
      }
      #expect(turn.answer == "after")
    }
  }

  @Test func `are shown in the list of processes, with their place`() async throws {
    let cores = TracedCores(1)
    try await ThinkingStage.set(cores: cores) { stage in
      _ = try await stage.ask("say before")
      #expect(await stage.sessions.workers().first?.corePlace == nil)
      await cores.take(as: "test")
      async let turn = stage.ask("say after")
      try await eventually("the worker is shown to wait") {
        await stage.sessions.workers().first?.corePlace == 1
      }
      #expect(stage.sessions.coreLoad == CoreLoad(cores: 1, busy: 1, waiting: 1))
      cores.giveBack(RunID("test"))
      #expect(try await turn.answer == "after")
    }
  }
}

/// A stage whose puppets compute on the shipped model before they do what they are told.
enum ThinkingStage {
  static func set(cores: TracedCores, _ body: (Stage) async throws -> Void) async throws {
    try await Stage.set(stopPatience: .seconds(30), cores: cores) { stage in
      for name in ["puppet", "friend"] {
        stage.cast.give(name, stage.troupe.plugin("thinker"), model: Repository.pocketModel)
      }
      try await body(stage)
      // A worker that was killed may have been granted one before its end is known.
      try await eventually("no core is in use") { cores.cores.load.busy == 0 }
    }
  }
}

/// The threads of a process, as the kernel shows them.
private enum Threads {
  static func slices(of pid: Int32) throws -> [Int] {
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
    return threads.compactMap(Int32.init).compactMap { slice(of: pid, $0) }
  }

  /// The time slice of a thread, in nanoseconds.
  static func slice(of pid: Int32, _ thread: Int32) -> Int? {
    let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/sched", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("se.slice") }
    return line?.split(separator: ":").last.flatMap { Int($0.filter { $0 != " " }) }
  }
}
