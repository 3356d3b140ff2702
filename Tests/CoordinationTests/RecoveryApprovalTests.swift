import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// A worker dies while a person is asked to approve its call.
@Suite(.timeLimit(.minutes(5)))
struct RecoveryApprovalTests {
  /// Makes a call that needs approval and dies while waiting for the answer.
  private static func dying(
    after signal: Signal
  ) -> @Sendable (FakeTurn) async throws -> TurnEnding {
    { turn in
      try await turn.record(.call("1", "risk"))
      async let answer = turn.approval(of: "1")
      await signal.wait()
      turn.worker.end(.signaled(9))
      _ = try await answer
      throw WorkerGone()
    }
  }

  @Test func `What is approved when its worker is gone has not run`() async throws {
    let (gone, approved, gate) = (Signal(), Signal(), Signal())
    let table = try Table([
      "a": lives(
        Self.dying(after: gone),
        { turn in
          turn.worker.end(.signaled(9))
          throw WorkerGone()
        },
        { turn in
          #expect(try await turn.approval(of: "1") == .approved)
          return try await turn.answer("done")
        }
      )
    ])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true) { event in
      switch event {
      case .approvalAsked:
        table.workers.hold(until: gate)
        gone.fire()
      case .workerReplaced:
        Task {
          guard let question = await desk.pending.first else { return }
          try await desk.answer(question.id, denial: nil, by: .chat)
        }
      case .approvalAnswered: approved.fire()
      default: break
      }
    }
    await approved.wait()
    gate.fire()
    #expect(try await summary.answer == "done")
    let orders = table.workers.launched.flatMap(\.orders)
    // No worker that learned of the approval had the call in hand, so the call has not run.
    #expect(orders.map(\.openCalls) == [[:], ["1": .notRun], ["1": .notRun]])
  }

  @Test func `A person is asked once, and what waited for the answer has not run`() async throws {
    let (asked, replaced) = (Signal(), Signal())
    let table = try Table([
      "a": lives(
        Self.dying(after: asked),
        { turn in
          async let answer = turn.approval(of: "1")
          replaced.fire()
          #expect(try await answer == .approved)
          turn.worker.end(.signaled(9))
          throw WorkerGone()
        },
        { turn in
          // A person has already answered, and is not asked again.
          #expect(try await turn.approval(of: "1") == .approved)
          return try await turn.answer("done")
        }
      )
    ])
    let watched = Watched()
    async let summary = table.say("go", isAttended: true) { event in
      watched.note(event)
      if case .approvalAsked = event { asked.fire() }
    }
    await replaced.wait()
    let pending = await table.sessions.approvals.pending
    let question = try #require(pending.first)
    try await table.sessions.approvals.answer(question.id, denial: nil, by: .chat)
    #expect(try await summary.answer == "done")
    #expect(watched.all.count { if case .approvalAsked = $0 { true } else { false } } == 1)
    let orders = table.workers.launched.flatMap(\.orders)
    #expect(orders.map(\.openCalls) == [[:], ["1": .notRun], ["1": .perhapsRun]])
  }
}
