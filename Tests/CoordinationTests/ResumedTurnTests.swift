import AgentKit
import GRDB
import Synchronization
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// A resumed turn belongs to no person who is present.
@Suite(.timeLimit(.minutes(5)))
struct ResumedTurnTests {
  private static let asking = serving { turn in
    if turn.order.openCalls.isEmpty { try await turn.record(.call("1", "ask")) }
    let answer = try await turn.phone("title", "a boat", callID: "1")
    return try await turn.answer(answer.text ?? "\(answer.exit)")
  }

  @Test func `The sender of the next prompt goes away, and the turn goes on`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let (began, gate) = (Signal(), Signal())
    let table = try Table(
      [
        "a": serving { turn in
          began.fire()
          await gate.wait()
          return try await turn.answer("hello")
        }
      ],
      after: restart.before
    )
    let next = Task { try await table.say("next") }
    await began.wait()
    next.cancel()
    await #expect(throws: CancellationError.self) { try await next.value }
    async let third = table.say("third")
    gate.fire()
    #expect(try await third.answer == "hello")
    #expect(
      try await table.words() == [
        "prompt: go", "response: hello", "prompt: third", "response: hello",
      ]
    )
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.answered, .answered])
  }

  @Test func `It can be cancelled as soon as it is shown, by one that then stops the coordinator`()
    async throws
  {
    for _ in 0..<40 {
      let restart = try Restart { try await $0.admission() }
      try await restart.fall()
      let table = try Table(["a": serving { try await $0.worker.hang() }], after: restart.before)
      let (talk, shown) = (try await table.talk, Signal())
      let resumed = Task {
        try await talk.resume { if case .resumed = $0 { shown.fire() } }
      }
      await shown.wait()
      await talk.cancel()
      await table.sessions.close()
      _ = try? await resumed.value
      #expect(try await JournalReader(table.journal).turns(of: 1).map(\.exit) == [.cancelled])
    }
  }

  @Test func `A person who comes later is told that it goes on, and what is asked`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let table = try Table(
      [
        "a": serving { turn in
          try await turn.record(.call("1", "risk"))
          return try await turn.answer("\(try await turn.approval(of: "1"))")
        }
      ],
      after: restart.before
    )
    let asked = Signal()
    let first = Task {
      try await table.talk.resume(isAttended: true) { event in
        if case .approvalAsked = event { asked.fire() }
      }
    }
    await asked.wait()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let watched = Watched()
    let desk = table.sessions.approvals
    _ = try await table.talk.resume(isAttended: true) { event in
      watched.note(event)
      guard case .approvalAsked(let record) = event else { return }
      Task { try await desk.answer(record.id, denial: nil, by: .chat) }
    }
    let told = watched.all.compactMap { event -> String? in
      switch event {
      case .resumed(_, _, let prompt): "resumed \(prompt)"
      case .approvalAsked(let record): "asked \(record.callID)"
      case .approvalAnswered(let record): "answered \(record.callID)"
      case .ended(let summary): "\(summary.exit)"
      default: nil
      }
    }
    #expect(told == ["resumed go", "asked 1", "answered 1", "answered"])
    let late = Watched()
    #expect(try await table.talk.resume(watch: late.note) == nil)
    #expect(late.all.isEmpty)
  }

  @Test func `A person who waits behind it is asked, where none was before`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let (began, gate) = (Signal(), Signal())
    let table = try Table(
      [
        "a": serving { turn in
          try turn.say("Let me ", after: 0)
          await gate.wait()
          try turn.say("see.", after: 7)
          try await turn.record(.call("1", "risk"))
          return try await turn.answer("\(try await turn.approval(of: "1"))")
        }
      ],
      after: restart.before
    )
    async let resumed = table.talk.resume { event in
      if case .text = event { began.fire() }
    }
    await began.wait()
    let (watched, isTold) = (Watched(), Signal())
    let desk = table.sessions.approvals
    async let next = table.say("next", isAttended: true) { event in
      watched.note(event)
      switch event {
      case .resumed: isTold.fire()
      case .approvalAsked(let record):
        Task { try await desk.answer(record.id, denial: nil, by: .chat) }
      default: break
      }
    }
    await isTold.wait()
    gate.fire()
    #expect(try await resumed?.answer == "approved")
    _ = try await next
    let all = watched.all
    let end = try #require(all.firstIndex { if case .ended = $0 { true } else { false } })
    let shown = all[...end].compactMap { event -> String? in
      switch event {
      case .resumed: "resumed"
      // A viewer that missed the beginning of a text is shown none of it.
      case .text(_, let change): "text \(change.added)"
      case .approvalAsked(let record): "asked \(record.callID)"
      case .approvalAnswered(let record): "answered \(record.callID)"
      default: nil
      }
    }
    #expect(shown == ["resumed", "asked 1", "answered 1"])
    #expect(all.count { if case .resumed = $0 { true } else { false } } == 1)
  }

  @Test func `A person who cancels it takes it back`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let began = Signal()
    let table = try Table(
      [
        "a": serving { turn in
          began.fire()
          _ = try await turn.worker.hear(in: turn.id) { _ in false }
          return .answered
        }
      ],
      after: restart.before
    )
    let resumed = Task { try await table.talk.resume { _ in } }
    await began.wait()
    try await table.talk.cancel()
    #expect(try await resumed.value?.exit == .cancelled)
    #expect(try await JournalReader(table.journal).turns(of: 1).map(\.exit) == [.cancelled])
  }

  @Test func `What it had of its seconds is not given to it again`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let reader = JournalReader(restart.before.journal)
    for (before, left) in [(100, 150...200), (900, 10...10)] {
      try await restart.before.journal.database.write { db in
        try db.execute(sql: "UPDATE turn SET started = started - ?", arguments: [before])
      }
      let turn = try await InterruptedTurn(first: restart.before.journal)
      #expect(left.contains(turn.secondsLeft), "\(turn.secondsLeft)")
    }
    let table = try Table(["a": answering("done")], after: restart.before)
    #expect(try await table.talk.resume { _ in }?.answer == "done")
    #expect(try await reader.turns(of: 1).map(\.spent) == [300])
  }

  @Test func `A coordinator that is told to leave leaves it to the next one, and its friend`()
    async throws
  {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let began = Signal()
    let table = try Table(
      [
        "a": Self.asking,
        "title": serving { turn in
          began.fire()
          try await turn.worker.hang()
        },
      ],
      after: restart.before
    )
    let told = Mutex<[TurnEvent]>([])
    let resumed = Task {
      try await table.talk.resume { event in told.withLock { $0.append(event) } }
    }
    await began.wait()
    await table.sessions.close()
    #expect(try await resumed.value?.answer == nil)
    let all = told.withLock { $0 }
    // The turn stays open, so no end is reported.
    #expect(!all.contains { if case .ended = $0 { true } else { false } })
    // The friend has an actor of its own, which may report its end before or after.
    let troubles = all.compactMap { if case .trouble(let words) = $0 { words } else { nil } }
    #expect(troubles.count == 1 && troubles[0].contains("The next one"), "\(troubles)")
    let reader = JournalReader(table.journal)
    #expect(try await reader.turns(of: 1).map(\.exit) == [nil])
    // The turn did not bring the coordinator down, so this does not count as a resumption.
    #expect(try await reader.turns(of: 1).map(\.resumptions) == [0])
    let next = try Table(["a": Self.asking, "title": answering("The Boat")], after: table)
    #expect(try await next.talk.resume { _ in }?.answer == "The Boat")
    #expect(try await reader.turns(of: 1).map(\.exit) == [.answered])
    #expect(table.workers.living.isEmpty)
  }

  @Test func `A question is known by its place in the journal, whatever the clock said`()
    async throws
  {
    let asked = Signal()
    let restart = try Restart { turn in
      try await turn.record(.call("1", "risk"))
      Task { _ = try await turn.approval(of: "1") }
      await asked.wait()
    }
    try await restart.fall(isAttended: true) { event in
      if case .approvalAsked = event { asked.fire() }
    }
    try await restart.before.journal.database.write { db in
      try db.execute(sql: "UPDATE fact SET at = at - 3600 WHERE kind = 'askedApproval'")
    }
    let table = try Table(["a": answering("done")], after: restart.before)
    _ = try await table.talk.resume { _ in }
    let order = try #require(table.workers.launched.first?.orders.first)
    #expect(order.openCalls == ["1": .notRun])
  }

  @Test(arguments: ["risk", "other"])
  func `An answer is not another call's that is called the same`(tool: String) async throws {
    let restart = try Restart { turn in
      try await turn.record(.call("1", "risk"))
      _ = try await turn.approval(of: "1")
      try await turn.record(.output("1", "risk", "denied"))
      try await turn.record(.call("1", tool))
    }
    let desk = restart.before.sessions.approvals
    try await restart.fall(isAttended: true) { event in
      guard case .approvalAsked(let record) = event else { return }
      Task { try await desk.answer(record.id, denial: "no", by: .chat) }
    }
    try await restart.before.journal.database.write { db in
      try db.execute(sql: "UPDATE fact SET at = at + 3600 WHERE kind LIKE '%Approval'")
    }
    let table = try Table(["a": answering("done")], after: restart.before)
    _ = try await table.talk.resume { _ in }
    let order = try #require(table.workers.launched.first?.orders.first)
    #expect(order.openCalls == ["1": .perhapsRun])
  }

  @Test func `A friend is known by its place in the journal, whatever the clock said`()
    async throws
  {
    let restart = try Restart(["title": answering("The Boat")]) { turn in
      try await turn.record(.call("1", "ask"))
      _ = try await turn.phone("title", "a boat", callID: "1")
    }
    try await restart.fall()
    try await restart.before.journal.database.write { db in
      try db.execute(
        sql: "UPDATE conversation SET created = created - 1 WHERE parentTurn IS NOT NULL"
      )
    }
    let table = try Table(
      ["a": Self.asking, "title": answering("never")],
      after: restart.before
    )
    #expect(try await table.talk.resume { _ in }?.answer == "The Boat")
    #expect(table.workers.of("title").isEmpty)
  }
}
