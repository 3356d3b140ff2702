import AgentKit
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct `A worker whose host is not there` {
  private let wait = HostWait(host: "gpu1", state: .queued, reason: "Resources")

  @Test(arguments: ["a", "title"])
  func `is told of, and its wait costs its turn no time`(agent: String) async throws {
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("title", "why?") }, "title": answering("b"),
    ])
    let (watched, gate) = (Watched(), Signal())
    table.workers.beAway(wait, of: agent, until: gate)
    let summary = try await table.say("go", caps: "seconds=16") { event in
      watched.note(event)
      guard case .hostAwaited = event else { return }
      // Longer than the whole turn may take, which is far more than it takes on a busy machine.
      Task {
        try await Task.sleep(for: .seconds(16.5))
        gate.fire()
      }
    }
    #expect(summary.exit == .answered)
    #expect(watched.all.contains(.hostAwaited(agent: agent, wait)))
  }

  @Test func `waits no longer than its turn`() async throws {
    let table = try Table(["a": answering("hello")])
    let (waits, gate) = (Signal(), Signal())
    defer { gate.fire() }
    table.workers.beAway(wait, of: "a", until: gate)
    async let summary = table.say("one") { event in
      if case .hostAwaited = event { waits.fire() }
    }
    await waits.wait()
    try await table.talk.cancel()
    #expect(try await summary.exit == .cancelled)
    #expect(table.workers.launched.isEmpty)
  }

  @Test func `leaves the turn the time that it had`() async throws {
    let table = try Table(["a": serving { try await $0.worker.hang() }])
    let gate = Signal()
    table.workers.beAway(wait, of: "a", until: gate)
    let summary = try await table.say("go", caps: "seconds=2") { event in
      if case .hostAwaited = event { gate.fire() }
    }
    #expect(summary.exit == .cap("seconds"))
  }
}
