import Foundation
import Supervision
import TestSupport
import Testing
import Wire

/// The lifeline stays open here: the coordinator is alive but says nothing.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `A worker whose coordinator falls silent` {
  private static let seconds = 2.0

  @Test func `ends after its silence limit once it was pinged`()
    async throws
  {
    let worker = try await Self.ready("puppet")
    // Proves that the check works: while it is pinged, it outlives the silence that would end it.
    let start = ContinuousClock.now
    var number = 0
    while ContinuousClock.now - start < .seconds(2 * Self.seconds) {
      number += 1
      try await ping(worker, number)
    }
    try await expectEnd(worker)
  }

  @Test func `ends although its tool blocks`() async throws {
    let worker = try await Self.ready("puppet")
    try worker.say(.turn(Turns.prompt("do block")))
    try await Turns.serve(worker, until: { $0.isCalls })
    try await expectEnd(worker)
  }

  @Test func `ends as a template, too`() async throws {
    let worker = try await BareWorker()
    try worker.say(
      .hello(
        WorkerConfiguration(
          run: RunID("bare-1"),
          role: .template,
          plugin: nil,
          model: Repository.pocketModel,
          contextSize: 256,
          silenceLimit: Self.seconds
        )
      )
    )
    try await worker.hear { if case .ready = $0 { true } else { false } }
    try await expectEnd(worker)
  }

  @Test func `survives being stopped for longer, if it is pinged afterwards`()
    async throws
  {
    let (worker, clock) = (try await Self.ready("puppet"), try await Self.ready("puppet"))
    try await ping(worker)
    #expect(kill(worker.pid, SIGSTOP) == 0)
    // Another worker, whose silence begins now, serves as a clock.
    try clock.say(.ping(1))
    #expect(try await clock.finish().status == .code(75))
    #expect(kill(worker.pid, SIGCONT) == 0)
    try await ping(worker, 2)
    // Its timeout is as long as before.
    #expect(try await worker.finish().status == .code(75))
  }

  private static func ready(_ agent: String) async throws -> BareWorker {
    let worker = try await BareWorker()
    var configuration = try await BareWorker.configuration(agent)
    configuration.silenceLimit = seconds
    try worker.say(.hello(configuration))
    try await worker.hear { if case .ready = $0 { true } else { false } }
    return worker
  }

  private func ping(_ worker: BareWorker, _ number: Int = 1) async throws {
    try worker.say(.ping(number))
    try await worker.hear { $0 == .pong(number) }
  }

  private func expectEnd(_ worker: BareWorker) async throws {
    try await ping(worker, 0)
    let end = try await worker.finish()
    #expect(end.status == .code(75))
    let reason = "the coordinator has said nothing for \(Int(Self.seconds)) s"
    #expect(end.log.contains(reason), "\(end.log)")
  }
}
