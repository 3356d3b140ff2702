import AgentKit
import TestSupport
import Testing
import Wire

@testable import Coordination

/// Every question from a worker gets exactly one answer, or its turn ends.
@Suite(.timeLimit(.minutes(5)))
struct AnswersTests {
  /// Describes what is wrong with the answers that a worker received.
  private static func faults(of worker: FakeWorker) -> [String] {
    var answered: [Int: Int] = [:]
    for case .reply(let id, _) in worker.heard { answered[id, default: 0] += 1 }
    let wasCancelled = worker.heard.contains { if case .cancel = $0 { true } else { false } }
    // A worker that is not answered waits until the cap on seconds.
    let isOutOfTime = worker.heard.contains { message in
      if case .cancel(_, .some) = message { true } else { false }
    }
    let wasStopped = worker.hasEnded || wasCancelled
    let wrong = (1...max(1, worker.requests)).compactMap { request -> String? in
      guard worker.requests > 0 else { return nil }
      let answers = answered[request] ?? 0
      let isRight = wasStopped ? answers <= 1 : answers == 1
      return isRight ? nil : "request \(request): \(answers) answers"
    }
    return wrong + (isOutOfTime ? ["its time was up"] : [])
  }

  private static let worker = FakeWorker(
    LaunchableAgent(name: "a", plugin: "", model: nil, contextSize: nil),
    run: RunID("a-1"),
    pid: 1
  )

  /// Performs random worker actions.
  private static func busy(_ seed: Int) -> Script {
    serving { turn in
      var random = Seeded(UInt64(seed) << 32 | UInt64(turn.id))
      for step in 0..<12 {
        let id = "\(turn.worker.run)-\(turn.id)-\(step)"
        switch random.below(9) {
        case 0:
          try await turn.admission()
          _ = try await turn.admissionOfSummary()
        case 1:
          try await turn.finishCalls()
          try await turn.record(.call(id, "look"), tokens: 1)
        case 2: _ = try await turn.phone("b", "why?", callID: id)
        case 3: _ = try await turn.phone("nobody", "why?", callID: id)
        case 4:
          if try await turn.passBaton(to: "b", callID: id) == "b" { return .passed }
        case 5: try await turn.write(["step": "\(step)"]) { Array($0.suffix(3)) }
        case 6:
          try await turn.finishCalls()
          try await turn.record(.call(id, "risk"))
          _ = try await turn.approval(of: id)
        case 7:
          try turn.tell(.output(id, "look", "nothing"))
        default: _ = try await turn.passBaton(to: "nobody", callID: id)
        }
      }
      return try await turn.answer("done")
    }
  }

  @Test(arguments: 0..<40)
  func `Whatever workers ask, they are answered once`(seed: Int) async throws {
    let table = try Table(["a": Self.busy(seed), "b": Self.busy(seed + 1000)])
    for number in 0..<3 {
      try await table.say("\(number)", caps: "rounds=20,fanout=2,depth=2,calls=6,seconds=200")
    }
    for worker in table.workers.launched {
      let faults = Self.faults(of: worker)
      #expect(faults.isEmpty, "\(worker.run): \(faults)")
    }
    #expect(table.workers.launched.contains { !$0.asked.isEmpty })
    await table.sessions.close()
  }

  @Test(arguments: 0..<40)
  func `Stopped at any moment, every turn ends and no request is answered twice`(seed: Int)
    async throws
  {
    let table = try Table(
      ["a": Self.busy(seed), "b": Self.busy(seed + 1000)],
      stopPatience: .zero
    )
    let watched = Watched()
    for number in 0..<3 {
      let moment = watched.all.count + seed % 9
      let prompt = Task { try await table.say("\(number)", watch: watched.note) }
      await eventually { watched.all.count >= moment || watched.ends > number }
      try await table.talk.cancel()
      _ = try await prompt.value
    }
    #expect(watched.ends == 3)
    await table.sessions.close()
    #expect(table.workers.living.isEmpty)
    for worker in table.workers.launched { #expect(Self.faults(of: worker).isEmpty) }
  }

  @Test func `The check above would notice a missing and a second answer`() throws {
    let worker = Self.worker
    let request = worker.nextRequest()
    #expect(Self.faults(of: worker).count == 1)
    try worker.send(.reply(id: request, .admission(.refused(cap: "rounds"))))
    #expect(Self.faults(of: worker).isEmpty)
    try worker.send(.reply(id: request, .admission(.refused(cap: "rounds"))))
    #expect(Self.faults(of: worker).count == 1)
    try worker.send(.cancel(turn: 1, cap: "seconds"))
    #expect(Self.faults(of: worker).count == 2)
  }
}
