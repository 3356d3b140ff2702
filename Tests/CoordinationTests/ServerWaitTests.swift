import AgentKit
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct `A request that waits for its server` {
  private let wait = ServerWait(
    server: "http://there",
    reason: "503: Loading model",
    seconds: 600,
    waited: 0
  )

  @Test func `is shown to the person and in the list of processes, until its turn ends`()
    async throws
  {
    let (waiting, hold) = (Signal(), Signal())
    let table = try Table([
      "a": serving { [wait] turn in
        try await turn.admission()
        try turn.worker.say(.serverWait(turn: turn.id, wait))
        await hold.wait()
        return try await turn.answer("hello")
      }
    ])
    let watched = Watched()
    async let summary = table.say("go") { event in
      watched.note(event)
      if case .serverAwaited = event { waiting.fire() }
    }
    await waiting.wait()
    let workers = await table.sessions.workers()
    #expect(workers.map(\.serverWait) == [wait])
    #expect(workers.map(\.state) == [.responding])
    hold.fire()
    #expect(try await summary.answer == "hello")
    #expect(watched.all.contains(.serverAwaited(agent: "a", wait)))
    let after = await table.sessions.workers()
    #expect(after.map(\.serverWait) == [nil])
  }

  @Test func `no longer counts as waiting when its time is over`() async throws {
    let (waiting, hold) = (Signal(), Signal())
    let over = ServerWait(server: "http://there", reason: "503", seconds: 0, waited: 0)
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try turn.worker.say(.serverWait(turn: turn.id, over))
        await hold.wait()
        return try await turn.answer("hello")
      }
    ])
    async let summary = table.say("go") { event in
      if case .serverAwaited = event { waiting.fire() }
    }
    await waiting.wait()
    let workers = await table.sessions.workers()
    #expect(workers.map(\.serverWait) == [nil])
    hold.fire()
    #expect(try await summary.answer == "hello")
  }

  @Test func `is shown where a friend makes it`() async throws {
    let waiting = Signal()
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("title", "why?") },
      "title": serving { [wait] turn in
        try turn.worker.say(.serverWait(turn: turn.id, wait))
        return try await turn.answer("because")
      },
    ])
    let watched = Watched()
    async let summary = table.say("go") { event in
      watched.note(event)
      if case .serverAwaited = event { waiting.fire() }
    }
    await waiting.wait()
    _ = try await summary
    #expect(watched.all.contains(.serverAwaited(agent: "title", wait)))
  }

  @Test func `is told how much time its turn has left`() async throws {
    let table = try Table([
      "a": serving { turn in
        let seconds = turn.order.secondsLeft.map { (1...7).contains($0) }
        return try await turn.answer("\(seconds ?? false)")
      }
    ])
    #expect(try await table.say("go", caps: "seconds=7").answer == "true")
  }
}
