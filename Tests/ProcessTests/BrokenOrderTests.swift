import AgentKit
import Supervision
import Testing
import Wire

@Suite(.timeLimit(.minutes(5)), .serialized) struct `A coordinator that sends invalid values` {
  @Test func `is left by a worker that awaits its configuration, with the reason`() async throws {
    for change: (inout WorkerConfiguration) -> Void in [
      { $0.contextSize = -1 }, { $0.contextSize = .max },
      { $0.silenceLimit = -1 }, { $0.silenceLimit = 1e300 },
      { $0.memory = -1 }, { $0.memory = .max },
    ] {
      let worker = try await BareWorker()
      var configuration = try await BareWorker.configuration("puppet")
      change(&configuration)
      try worker.say(.hello(configuration))
      try await Self.expectBreach(worker)
    }
  }

  @Test(arguments: [
    order(ToWorker.turn) { $0.kept = -1 }, order(ToWorker.turn) { $0.kept = .min },
    order(fit) { $0.kept = -1 }, .history(kept: -1, added: []),
    order(ToWorker.turn) { $0.widestWindow = .max }, order(fit) { $0.widestWindow = -1 },
    .reply(id: 1, .admission(.admitted(.go(maximumTokens: -1)))),
    .reply(id: 1, .admission(.admitted(.lastAnswer(cap: "rounds", maximumTokens: .max)))),
    .reply(id: 1, .recorded(AdmittedCalls(count: -1))),
    .reply(id: 1, .recorded(AdmittedCalls(count: 1, repeated: [-1]))),
    .reply(id: 1, .friend(used(.max, 0))),
    .reply(id: 1, .friend(used(0, -1))),
    .cores(CoreGrant(request: 1, number: 1, count: 0)),
    .cores(CoreGrant(request: 1, number: 1, count: 1 << 40)),
  ])
  func `is left by a worker that serves, with the reason`(message: ToWorker) async throws {
    let worker = try await BareWorker.ready()
    try worker.say(message)
    try await Self.expectBreach(worker)
  }

  @Test func `is told from one that sends valid values`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.cores(CoreGrant(request: 1, number: 1, count: 2)))
    try worker.say(.reply(id: 1, .friend(Self.used(5, 5))))
    try worker.say(.shutdown)
    #expect(try await worker.finish().status == .code(0))
  }

  private static func expectBreach(_ worker: BareWorker) async throws {
    let end = try await worker.finish()
    #expect(end.status == .code(76))
    #expect(
      end.log.contains("broke the protocol: a message with an impossible value"),
      "\(end.log)"
    )
  }

  private static func order(
    _ message: (TurnOrder) -> ToWorker,
    _ change: (inout TurnOrder) -> Void
  ) -> ToWorker {
    var order = TurnOrder(turn: 1, kept: 0, added: [])
    change(&order)
    return message(order)
  }

  private static func fit(_ order: TurnOrder) -> ToWorker { .fit(id: 1, order) }

  private static func used(_ read: Int, _ written: Int) -> FriendAnswer {
    FriendAnswer(
      "yes",
      exit: .answered,
      usage: .init(
        input: .init(totalTokenCount: read, cachedTokenCount: 0),
        output: .init(totalTokenCount: written, reasoningTokenCount: 0)
      )
    )
  }
}
