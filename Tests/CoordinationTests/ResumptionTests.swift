import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// A coordinator resumes the turn that an earlier one left open.
@Suite(.timeLimit(.minutes(5)))
struct ResumptionTests {
  @Test func `The turn is finished before the next prompt`() async throws {
    let restart = try Restart { turn in
      try await turn.record(.call("1", "look"))
      try await turn.record(.output("1", "look", "seen"))
    }
    try await restart.fall()
    let table = try Table(["a": answering("I see.")], after: restart.before)
    #expect(try await table.talk.isInterrupted)
    let watched = Watched()
    try await table.say("next", watch: watched.note)
    let told = watched.all.compactMap { event -> String? in
      switch event {
      case .resumed(_, _, let prompt): "resumed \(prompt)"
      case .accepted: "accepted"
      case .answered(_, let text): text
      case .ended(let summary): "\(summary.exit)"
      default: nil
      }
    }
    #expect(
      told == ["resumed go", "I see.", "answered", "accepted", "I see.", "answered"]
    )
    #expect(
      try await table.words() == [
        "prompt: go", "calls: look", "output: seen", "response: I see.", "prompt: next",
        "response: I see.",
      ]
    )
    #expect(try await !table.talk.isInterrupted)
    #expect(try await table.talk.resume { _ in } == nil)
  }

  @Test func `It can be finished without a prompt`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let table = try Table(["a": answering("hello")], after: restart.before)
    let summary = try #require(try await table.talk.resume { _ in })
    #expect(summary.answer == "hello")
    #expect(try await table.words() == ["prompt: go", "response: hello"])
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.answered])
    #expect(turns.map(\.resumptions) == [1])
  }

  @Test func `An answer that is journaled needs no worker`() async throws {
    let restart = try Restart { _ = try await $0.answer("hello") }
    try await restart.fall()
    let table = try Table(["a": answering("never")], after: restart.before)
    let watched = Watched()
    #expect(try await table.talk.resume(watch: watched.note)?.answer == "hello")
    #expect(table.workers.launched.isEmpty)
    // It is reported again, because it may not have been seen.
    #expect(watched.all.count { $0 == .answered(agent: "a", text: "hello") } == 1)
  }

  @Test func `What was spent stays spent`() async throws {
    let restart = try Restart { turn in
      try await turn.admission()
      try await turn.record(.calls(["1", "2", "3"], "look"), tokens: 5)
      try await turn.record(.output("1", "look", "seen"))
    }
    try await restart.fall(caps: "rounds=1,calls=2,policy=fail")
    let table = try Table(["a": answering("never")], after: restart.before)
    let summary = try #require(try await table.talk.resume { _ in })
    #expect(summary.exit == .cap("calls"))
    #expect(summary.usage.tokensOut == 5)
    let order = try #require(table.workers.launched.first?.orders.first)
    #expect(order.openCalls == ["2": .perhapsRun, "3": .refused])
  }

  @Test func `Friends of one call that have answered have each their own answer`() async throws {
    let restart = try Restart(["b": answering("I am b."), "c": answering("I am c.")]) { turn in
      try await turn.record(.call("1", "ask"))
      for friend in ["b", "c"] { _ = try await turn.phone(friend, "who?", callID: "1") }
    }
    try await restart.fall()
    let table = try Table(
      [
        "a": serving { turn in
          let b = try await turn.phone("b", "who?", callID: "1")
          let c = try await turn.phone("c", "who?", callID: "1")
          return try await turn.answer("\(b.text ?? "") \(c.text ?? "")")
        },
        "b": answering("never"),
        "c": answering("never"),
      ],
      after: restart.before
    )
    #expect(try await table.talk.resume { _ in }?.answer == "I am b. I am c.")
    #expect(table.workers.of("b").isEmpty && table.workers.of("c").isEmpty)
  }

  @Test(arguments: [false, true])
  func `A friend that has not answered is asked again only if it had done nothing`(
    hadCalled: Bool
  ) async throws {
    let (asked, friendAsked) = (Signal(), Signal())
    let restart = try Restart([
      "title": serving { turn in
        try await turn.admission()
        if hadCalled { try await turn.record(.call("f", "act")) }
        friendAsked.fire()
        try await turn.worker.hang()
      }
    ]) { turn in
      try await turn.record(.call("1", "ask"))
      Task { _ = try await turn.phone("title", "a boat", callID: "1") }
      await friendAsked.wait()
    }
    try await restart.fall()
    let table = try Table(
      [
        "a": serving { turn in
          asked.fire()
          let answer = try await turn.phone("title", "a boat", callID: "1")
          return try await turn.answer("\(answer)")
        },
        "title": answering("The Boat"),
      ],
      after: restart.before
    )
    let answer = try #require(try await table.talk.resume { _ in }?.answer)
    #expect(table.workers.of("title").count == (hadCalled ? 0 : 1))
    #expect(answer.contains("The Boat") == !hadCalled)
    #expect(answer.contains("The coordinator ended during the turn.") == hadCalled)
  }

  @Test(arguments: [false, true])
  func `A friend that only waited for a person is asked again, and not without one`(
    hadActed: Bool
  ) async throws {
    let friendAsked = Signal()
    let restart = try Restart([
      "title": serving { turn in
        try await turn.admission()
        if hadActed {
          try await turn.record(.call("e", "act"))
          try await turn.record(.output("e", "act", "done"))
        }
        try await turn.record(.call("f", "risk"))
        _ = try await turn.approval(of: "f")
        return try await turn.answer("never")
      }
    ]) { turn in
      try await turn.record(.call("1", "ask"))
      Task { _ = try await turn.phone("title", "a boat", callID: "1") }
      await friendAsked.wait()
    }
    try await restart.fall(isAttended: true) { event in
      if case .approvalAsked = event { friendAsked.fire() }
    }
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.answer("\(try await turn.phone("title", "a boat", callID: "1"))")
        },
        "title": answering("The Boat"),
      ],
      after: restart.before
    )
    #expect(try await table.talk.canResumeAlone == hadActed)
    let answer = try #require(try await table.talk.resume { _ in }?.answer)
    #expect(answer.contains("The Boat") == !hadActed)
    #expect(table.workers.of("title").count == (hadActed ? 0 : 1))
  }

  @Test func `A call that a person has approved may have run, one that waits has not`()
    async throws
  {
    let (first, both) = (Signal(), Signal())
    let restart = try Restart { turn in
      try await turn.record(.calls(["1", "2"], "risk"))
      Task { _ = try await turn.approval(of: "1") }
      Task {
        await first.wait()
        _ = try await turn.approval(of: "2")
      }
      await both.wait()
    }
    let desk = restart.before.sessions.approvals
    try await restart.fall(isAttended: true) { event in
      guard case .approvalAsked(let record) = event else { return }
      if record.callID == "2" { return both.fire() }
      Task {
        try await desk.answer(record.id, denial: nil, by: .chat)
        first.fire()
      }
    }
    let table = try Table(["a": answering("done")], after: restart.before)
    _ = try await table.talk.resume { _ in }
    let order = try #require(table.workers.launched.first?.orders.first)
    #expect(order.openCalls == ["1": .perhapsRun, "2": .notRun])
  }

  @Test func `A turn that ends one coordinator after the other is ended`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    for _ in 0..<InterruptedTurn.maximumResumptions {
      try await restart.before.journal.resume(1)
    }
    let table = try Table(["a": answering("hello")], after: restart.before)
    let watched = Watched()
    #expect(try await table.say("next", watch: watched.note).answer == "hello")
    let told = watched.all.compactMap { if case .trouble(let words) = $0 { words } else { nil } }
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("the interrupted turn 'go' was abandoned: ") == true)
    #expect(try await table.talk.takeAbandoned() == nil)
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.failed("4 coordinators stopped during the turn."), .answered])
    #expect(turns.map(\.isReverted) == [true, false])
  }
}
