import AgentKit
import Foundation
import Supervision
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker's lifeline` {
  @Test func `ends a worker that has only greeted`() async throws {
    let worker = try await BareWorker()
    try await worker.hear { if case .greeting = $0 { true } else { false } }
    try await expectEnd(worker)
  }

  @Test func `ends a worker that waits`() async throws {
    try await expectEnd(.ready())
  }

  @Test func `ends a worker that loads`() async throws {
    let worker = try await BareWorker()
    try worker.say(.hello(await BareWorker.configuration("sleeper")))
    try await worker.log(contains: "asleep")
    try await expectEnd(worker)
  }

  @Test func `ends a worker that loads, although there is something left to read`() async throws {
    let worker = try await BareWorker()
    try worker.say(.hello(await BareWorker.configuration("sleeper")))
    try await worker.log(contains: "asleep")
    try worker.say(.turn(Turns.prompt("say anything")))
    try await expectEnd(worker)
  }

  @Test func `ends a worker whose tool blocks`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("do block")))
    try await Turns.serve(worker, until: { $0.isCalls })
    try await expectEnd(worker)
  }

  @Test func `ends a worker in the middle of a frame`() async throws {
    let worker = try await BareWorker.ready()
    worker.say([0, 0, 1, 0, 3, 0x7B])
    try await expectEnd(worker)
  }

  /// Closes the lifeline and expects the worker to end by itself.
  private func expectEnd(_ worker: BareWorker) async throws {
    // Proves that the check works: the worker lives as long as the lifeline is open.
    #expect(Stranger.isRunning(worker.pid))
    let start = ContinuousClock.now
    worker.closeInput()
    #expect(try await worker.finish().status == .code(0))
    #expect(ContinuousClock.now - start < .seconds(5))
  }
}

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker's input` {
  @Test(arguments: [
    [0, 0, 0, 0, 9, 0x0A], [0xFF, 0xFF, 0xFF, 0xFF, 1],
    Frame(kind: .control, payload: Array(#"{"unheardOf":{}}"#.utf8)).bytes,
    Frame(kind: .last, payload: [0xFF]).bytes,
  ])
  func `is refused when it breaks the protocol`(bytes: [UInt8]) async throws {
    for worker in [try await BareWorker(), try await BareWorker.ready()] {
      worker.say(bytes)
      let end = try await worker.finish()
      #expect(end.status == .code(76))
      #expect(end.log.contains("the coordinator broke the protocol"))
    }
  }

  @Test func `is refused in another version`() async throws {
    let worker = try await BareWorker()
    try worker.say(
      .hello(await BareWorker.configuration("puppet", version: WireLimits.version + 1))
    )
    #expect(try await worker.finish().status == .code(76))
  }

  @Test func `is refused out of turn`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(TurnOrder(turn: 1, kept: 7, added: [])))
    #expect(try await worker.finish().status == .code(76))
  }

  @Test func `may be longer than a piece`() async throws {
    let worker = try await BareWorker.ready()
    let word = String(repeating: "long ", count: 400_000)
    try worker.say(.turn(Turns.prompt("say \(word)")))
    let ending = try await Turns.serve(worker, until: { $0.isEnding })
    #expect(ending == .ended(turn: 1, .answered))
    #expect(worker.end.said.compactMap(\.answer) == [word])
  }

  @Test func `to end lets the work in hand come to its end`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("do tell")))
    // The worker is told to end while it waits for the reply to its first request.
    let request = try await worker.hear { $0.isRequest }
    try worker.say(.shutdown)
    try worker.say(.ping(1))
    try await worker.hear { $0 == .pong(1) }
    try Turns.reply(to: request, of: worker)
    let ending = try await Turns.serve(worker, until: { $0.isEnding })
    #expect(ending == .ended(turn: 1, .answered))
    let end = try await worker.finish()
    #expect(end.said.last == .farewell(.done))
    #expect(end.status == .code(0))
  }

  @Test func `at the same time does not mix long messages`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("shout")))
    let ending = try await Turns.serve(worker, until: { $0.isEnding })
    #expect(ending == .ended(turn: 1, .answered))
    let questions = worker.end.said.compactMap { message -> Int? in
      guard case .phone(_, let prompt)? = message.hostTool else { return nil }
      return prompt.count
    }
    #expect(questions.count { $0 == 300_000 } == 8)
    #expect(questions.count { $0 == 10 } == 8)
  }
}
