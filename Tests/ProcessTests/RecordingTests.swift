import AgentKit
import Supervision
import Testing
import Wire

/// The order in which a real worker records and continues.
@Suite(.timeLimit(.minutes(5))) struct `A worker that has recorded an output` {
  /// A worker that has recorded the output of a call and asked for the next request.
  ///
  /// It has received nothing since.
  private func worker() async throws -> (BareWorker, admission: FromWorker) {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("phone a")))
    try await Turns.serve(worker, until: { if case .phone = $0 { true } else { false } })
    try await worker.hear(\.isOutput)
    let admission = try await worker.hear(\.isQuestion)
    guard case .admission = admission else { throw Unexpected(message: admission) }
    return (worker, admission)
  }

  /// Records the call that a worker's model makes and sets how the worker may continue.
  private func admit(_ worker: BareWorker, next: AdmissionAnswer) async throws {
    let message = try await worker.hear(\.isCalls)
    guard case .entry(_, let calls, _) = message else { throw Unexpected(message: message) }
    try worker.say(.recorded(turn: 1, entryID: calls.id, admittedCalls: 1, next: next))
  }

  private struct Unexpected: Error { let message: FromWorker }

  @Test func `asks for the next request, whose answer says that the output is kept`() async throws {
    let (worker, admission) = try await worker()
    try Turns.answer(admission, to: worker)
    try await expectAnswer(in: 1, worker)
  }

  @Test func `asks whether it is kept before it ends a turn with it`() async throws {
    let worker = try await BareWorker.ready()
    try worker.say(.turn(Turns.prompt("pass a")))
    try await Turns.serve(worker, until: \.isCalls)
    try await Turns.serve(worker, until: { if case .passBaton = $0 { true } else { false } })
    try await worker.hear(\.isOutput)
    let question = try await worker.hear(\.isQuestion)
    #expect(question == .settle(turn: 1))
    try await expectNothing(from: worker)
    try Turns.answer(question, to: worker)
    let ending = try await worker.hear(\.isEnding)
    #expect(ending == .ended(turn: 1, .passed))
    worker.closeInput()
    #expect(try await worker.finish().status == .code(0))
  }

  /// Expects a worker to wait: it answers many pings, which is time enough to do something wrong.
  private func expectNothing(from worker: BareWorker) async throws {
    for number in 1...50 {
      try worker.say(.ping(number))
      let answer = try await worker.hear { _ in true }
      #expect(answer == .pong(number))
    }
  }

  @Test
  func
    `has its model read it before it is kept where that was admitted ahead, and ends not before`()
    async throws
  {
    let admission = AdmissionAnswer.admitted(.go(maximumTokens: nil))
    let worker = try await BareWorker.ready()
    var order = Turns.prompt("do echo")
    order.admission = admission
    try worker.say(.turn(order))
    try await worker.hear { $0 == .takesAdmission(turn: 1) }
    try await admit(worker, next: admission)
    try await worker.hear(\.isOutput)
    try await worker.hear { $0 == .takesAdmission(turn: 1) }
    let response = try await worker.hear(\.isQuestion)
    guard case .entry(_, .response, _) = response else {
      throw Unexpected(message: response)
    }
    try await expectNothing(from: worker)
    try Turns.answer(response, to: worker)
    try await expectAnswer(in: 1, worker)
  }

  @Test(arguments: ["phone a", "do consult"])
  func `asks for the next request where its calls have used what that was admitted with`(
    prompt: String
  ) async throws {
    let admission = AdmissionAnswer.admitted(.go(maximumTokens: nil))
    let worker = try await BareWorker.ready()
    var order = Turns.prompt(prompt)
    order.admission = admission
    try worker.say(.turn(order))
    try await admit(worker, next: admission)
    let question = try await Turns.serve(worker) { message in
      switch message {
      case .admission, .takesAdmission: true
      default: false
      }
    }
    guard case .admission = question else { throw Unexpected(message: question) }
    try await expectAnswer(in: 1, worker)
  }

  @Test func `keeps it in its history when it tells of its context meanwhile`() async throws {
    let worker = try await BareWorker.ready("small")
    var order = Turns.prompt("read 200")
    // Others have wider windows, so the cut applies to this worker alone.
    order.widestWindow = 1000
    try worker.say(.turn(order))
    try await Turns.serve(worker) { if case .state = $0 { true } else { false } }
    let ending = try await Turns.serve(worker, until: \.isEnding)
    #expect(ending == .ended(turn: 1, .answered))
    try await expectToKnow(4, worker)
  }

  /// Gives a worker another prompt and expects it to know `count` entries before that.
  private func expectToKnow(_ count: Int, _ worker: BareWorker) async throws {
    var order = Turns.prompt("say hello")
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

  @Test func `keeps it in its history when the turn is stopped meanwhile`() async throws {
    let (worker, _) = try await worker()
    try worker.say(.cancel(turn: 1, cap: nil))
    let ending = try await worker.hear(\.isEnding)
    #expect(ending == .ended(turn: 1, .cancelled))
    // The prompt, the calls and the output.
    try await expectToKnow(3, worker)
  }
}
