import AgentKit
import Supervision
import Testing
import Wire

/// The order in which a real worker records and continues.
@Suite(.timeLimit(.minutes(5))) struct `A worker that records` {
  /// A worker that has recorded the output of a call, which has had no reply yet.
  private func worker() async throws -> (BareWorker, output: FromWorker) {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("phone a")))
    try await Turns.serve(worker, until: { $0.hostTool != nil })
    return (worker, try await worker.hear(\.isRequest))
  }

  @Test func `an output asks for the next request when it is on disk`() async throws {
    let (worker, output) = try await worker()
    #expect(output.isOutput)
    try await expectNothing(from: worker)
    try Turns.reply(to: output, of: worker)
    let admission = try await worker.hear(\.isRequest)
    #expect(admission.isAdmission)
    try Turns.reply(to: admission, of: worker)
    try await expectAnswer(in: 1, worker)
  }

  @Test func `an output ends a turn with it when it is on disk`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("pass a")))
    try await Turns.serve(worker, until: { $0.hostTool != nil })
    let output = try await worker.hear(\.isRequest)
    #expect(output.isOutput)
    try await expectNothing(from: worker)
    try Turns.reply(to: output, of: worker)
    let ending = try await worker.hear(\.isEnding)
    #expect(ending == .ended(turn: 1, .passed))
    worker.closeInput()
    #expect(try await worker.finish().status == .code(0))
  }

  @Test func `an answer ends the turn when it is on disk`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("say hello")))
    try Turns.reply(to: try await worker.hear(\.isRequest), of: worker)
    let answer = try await worker.hear(\.isRequest)
    #expect(answer.answer == "hello")
    try await expectNothing(from: worker)
    try Turns.reply(to: answer, of: worker)
    try await expectAnswer(in: 1, worker)
  }

  /// Expects a worker to wait: it answers many pings, which is time enough to do something wrong.
  private func expectNothing(from worker: BareWorker) async throws {
    for number in 1...50 {
      try worker.say(.ping(number))
      let answer = try await worker.hear { _ in true }
      #expect(answer == .pong(number))
    }
  }

  @Test func `an output keeps it in its history when it records its context after it`()
    async throws
  {
    let worker = try await BareWorker.ready("small")
    var order = try Turns.prompt("read 200")
    // Others have wider windows, so the cut applies to this worker alone.
    order.widestWindow = 1000
    try worker.say(.turn(order))
    try await Turns.serve(worker) {
      if case .request(_, _, .recordState) = $0 { true } else { false }
    }
    let ending = try await Turns.serve(worker, until: \.isEnding)
    #expect(ending == .ended(turn: 1, .answered))
    try await expectToKnow(4, worker)
  }

  /// Gives a worker another prompt and expects it to know `count` entries before that.
  private func expectToKnow(_ count: Int, _ worker: BareWorker) async throws {
    var order = try Turns.prompt("say hello")
    order.turn = 2
    order.kept = count
    try worker.say(.turn(order))
    try await expectAnswer(in: 2, worker)
  }

  /// Serves a turn to its answer and ends the worker.
  private func expectAnswer(in turn: Int, _ worker: BareWorker) async throws {
    let ending = try await Turns.serve(worker, until: \.isEnding)
    #expect(ending == .ended(turn: turn, .answered))
    worker.closeInput()
    #expect(try await worker.finish().status == .code(0))
  }

  @Test func `an output keeps it in its history when the turn is cancelled before the reply`()
    async throws
  {
    let (worker, _) = try await worker()
    try worker.say(.cancel(turn: 1, cap: nil))
    let ending = try await worker.hear(\.isEnding)
    #expect(ending == .ended(turn: 1, .cancelled))
    // The prompt, the calls and the output.
    try await expectToKnow(3, worker)
  }
}
