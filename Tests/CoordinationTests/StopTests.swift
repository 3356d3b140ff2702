import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct StopTests {
  /// Begins an answer, signals that it began, and goes on until it is cancelled.
  private static func endless(_ began: Signal) -> Script {
    serving { turn in
      try await turn.admission()
      try await turn.record(.call("1", "think"))
      began.fire()
      _ = try await turn.worker.hear(in: turn.id) { _ in false }
      return .answered
    }
  }

  /// Begins an answer, signals that it began, and then ignores everything.
  private static func deaf(_ began: Signal) -> Script {
    serving { turn in
      began.fire()
      try await turn.worker.hang()
    }
  }

  @Test func `A worker that talks without a pause is stopped all the same`() async throws {
    let (ahead, heard) = (10_000, Watched())
    let script = serving { turn in
      let change = TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: "more")
      var said = 0
      // There is always more to hear until the coordinator ends the worker.
      while !turn.worker.hasEnded {
        guard said - heard.all.count < ahead else {
          await Task.yield()
          continue
        }
        turn.worker.repeatSaying(.text(turn: turn.id, change), ahead)
        said += ahead
      }
      return .answered
    }
    let table = try Table(["a": script], stopPatience: .zero)
    let summary = try await table.say("talk") { event in
      guard case .text = event else { return }
      if heard.all.isEmpty { Task { try await table.talk.cancel() } }
      heard.note(event)
    }
    #expect(summary.exit == .cancelled)
  }

  @Test func `A turn that is cancelled is taken back, and its worker stays`() async throws {
    let began = Signal()
    let table = try Table(["a": Self.endless(began)])
    async let summary = table.say("one")
    await began.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    #expect(try await summary.answer == nil)
    #expect(try await table.words().isEmpty)
    let worker = try #require(table.workers.launched.first)
    #expect(worker.heard.contains(.cancel(turn: 1)))
    #expect(!worker.hasEnded)
    #expect(try await JournalReader(table.journal).turns(of: 1).map(\.isReverted) == [true])
  }

  @Test(arguments: [TurnExit.cap("seconds"), .cancelled])
  func `An answer that was shown is taken back by a person, and not by a cap`(
    exit: TurnExit
  ) async throws {
    let answered = Signal()
    let table = try Table([
      "a": serving { turn in
        guard turn.id == 1 else { return try await turn.answer("again") }
        _ = try await turn.answer("hello")
        // Like a hook that runs after the answer.
        _ = try await turn.worker.hear(in: turn.id) { _ in false }
        return .answered
      }
    ])
    async let told = table.say("one") { event in
      if case .answered = event { answered.fire() }
    }
    await answered.wait()
    try await table.talk.conversation.post(.stop(exit), to: 1)
    let summary = try await told
    let isKept = exit != .cancelled
    #expect(summary.exit == exit)
    #expect(summary.answer == (isKept ? "hello" : nil))
    #expect(try await table.words() == (isKept ? ["prompt: one", "response: hello"] : []))
    #expect(try await table.say("two").answer == "again")
    let worker = try #require(table.workers.launched.first)
    #expect(worker.entries.map(\.words) == (try await table.words()))
  }

  @Test(arguments: [true, false])
  func `At a cap what is finished stays where the profile preserves it`(isPreserved: Bool)
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        guard turn.id == 1 else { return try await turn.answer("again") }
        try await turn.admission()
        try await turn.record(.call("1", "look"))
        try await turn.record(.output("1", "look", "seen"))
        _ = try? await turn.worker.hear(in: turn.id) { _ in false }
        return .cap("seconds", keepsEntries: isPreserved)
      }
    ])
    #expect(try await table.say("one", caps: "seconds=1").exit == .cap("seconds"))
    let kept = isPreserved ? ["prompt: one", "calls: look", "output: seen"] : []
    #expect(try await table.words() == kept)
    #expect(try await table.say("two").answer == "again")
    let worker = try #require(table.workers.launched.first)
    #expect(worker.entries.map(\.words) == (try await table.words()))
  }

  @Test func `A cap that comes when the history is being rewritten leaves no worker with another`()
    async throws
  {
    let isKept = Signal()
    let table = try Table([
      "a": serving { turn in
        guard turn.id == 1 else { return try await turn.answer("again") }
        _ = try await turn.answer("hello")
        let entries = turn.worker.entries
        let edit = HistoryEdit(from: entries, to: Array(entries.suffix(1)))
        // Stands for a worker whose turn is cancelled before it learns that the edit was kept.
        _ = try await turn.ask(.recordState(StateChange(properties: [:], history: edit)))
        isKept.fire()
        _ = try? await turn.worker.hear(in: turn.id) { _ in false }
        return .answered
      }
    ])
    async let told = table.say("one")
    await isKept.wait()
    try await table.talk.conversation.post(.stop(.cap("seconds")), to: 1)
    #expect(try await told.answer == "hello")
    try await table.say("two")
    let worker = try #require(table.workers.launched.first)
    #expect(worker.entries.map(\.words) == ["response: hello", "prompt: two", "response: again"])
  }

  @Test func `The next order keeps exactly what stands`() async throws {
    let began = Signal()
    let table = try Table(["a": answering("")])
    table.workers.play(
      "a",
      serving { turn in
        guard turn.order.added.last?.words == "prompt: stop me" else {
          return try await turn.answer("fine")
        }
        try await turn.admission()
        try await turn.record(.call("1", "think"))
        began.fire()
        _ = try await turn.worker.hear(in: turn.id) { _ in false }
        return .answered
      }
    )
    try await table.say("one")
    async let stopped = table.say("stop me")
    await began.wait()
    try await table.talk.cancel()
    _ = try await stopped
    try await table.say("two")
    let worker = try #require(table.workers.launched.first)
    #expect(worker.orders.map(\.kept) == [0, 2, 2])
    #expect(worker.orders.last?.added.map(\.words) == ["prompt: two"])
    #expect(worker.entries.map(\.words) == (try await table.words()))
  }

  @Test func `The sender of the prompt goes away, and the turn is cancelled`() async throws {
    let began = Signal()
    let table = try Table(["a": Self.endless(began)])
    let task = Task { try await table.say("one") }
    await began.wait()
    task.cancel()
    #expect(try await task.value.exit == .cancelled)
  }

  @Test func `A worker that does not hear of it is killed, and the next prompt gets a new one`()
    async throws
  {
    let began = Signal()
    let table = try Table(["a": Self.deaf(began)], stopPatience: .zero)
    async let summary = table.say("one")
    await began.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    #expect(table.workers.launched.map(\.wasKilled) == [true])
    table.workers.play("a", answering("hello"))
    #expect(try await table.say("two").answer == "hello")
    #expect(table.workers.launched.count == 2)
  }

  @Test func `The cap on seconds ends a turn, also by force`() async throws {
    let began = Signal()
    let table = try Table(["a": Self.deaf(began)], stopPatience: .zero)
    let summary = try await table.say("one", caps: "seconds=3")
    #expect(summary.exit == .cap("seconds"))
    let worker = try #require(table.workers.launched.first)
    #expect(worker.heard.contains(.cancel(turn: 1, cap: "seconds")))
    #expect(worker.wasKilled)
  }

  @Test func `Friends end with the turn that phoned them`() async throws {
    let began = Signal()
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("slow", "why?") },
      "slow": Self.endless(began),
    ])
    async let summary = table.say("one")
    await began.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    await eventually { table.workers.of("slow").allSatisfy(\.hasEnded) }
    #expect(table.workers.of("a").map(\.hasEnded) == [false])
  }

  @Test func `Friends end with a worker that is not replaced`() async throws {
    let began = Signal()
    let table = try Table(
      [
        "a": serving { try await $0.answerWithFriend("slow", "why?") },
        "slow": Self.deaf(began),
      ],
      restarts: .never
    )
    async let summary = table.say("one")
    await began.wait()
    table.workers.of("a").first?.end(.signaled(6))
    #expect(
      try await summary.exit == .failed("The worker of 'a' died: it was killed by signal 6.")
    )
    await eventually { table.workers.of("slow").allSatisfy(\.hasEnded) }
  }

  @Test func `A turn that waits for its worker to start ends at once, and so does the worker`()
    async throws
  {
    let gate = Signal()
    let table = try Table(["a": answering("hello")])
    table.workers.hold(until: gate)
    async let summary = table.say("one")
    await table.workers.asked.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    gate.fire()
    #expect(try await table.say("two").answer == "hello")
    #expect(table.workers.launched.count == 2)
    await eventually { table.workers.launched.contains(where: \.wasRetired) }
    #expect(table.workers.launched.filter(\.wasRetired).allSatisfy { $0.orders.isEmpty })
  }

  @Test func `A prompt that is given up while it waits is not begun`() async throws {
    let began = Signal()
    let table = try Table(["a": Self.endless(began)])
    let talk = try await table.talk
    async let first = table.say("one")
    await began.wait()
    let second = Task { try await table.say("two") }
    await eventually { await talk.waitingPrompts == 1 }
    second.cancel()
    // Its place in the queue is free again.
    await eventually { await talk.waitingPrompts == 0 }
    await talk.cancel()
    _ = try await first
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try await JournalReader(table.journal).turns(of: 1).count == 1)
  }
}
