import AgentKit
import GRDB
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// The caller always has time left to answer with what it has.
@Suite(.timeLimit(.minutes(5)))
struct FriendTimeTests {
  /// Phones these friends at the same time and answers with what they said, in order.
  private static func phoning(_ friends: String...) -> Script {
    serving { turn in
      try await turn.admission()
      try await turn.record(.calls(friends, "ask"))
      let answers = try await withThrowingTaskGroup(of: (String, FriendAnswer).self) { group in
        for friend in friends {
          group.addTask { (friend, try await turn.phone(friend, "go", callID: friend)) }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      let words = friends.map { answers[$0].map { $0.text ?? "\($0.exit)" } ?? "nothing" }
      for (friend, answer) in zip(friends, words) {
        try await turn.record(.output(friend, "ask", answer))
      }
      return try await turn.answer(words.joined(separator: ", "))
    }
  }

  private static let hanging = serving { try await $0.worker.hang() }

  @Test func `A friend that hangs takes neither its caller nor another's answer with it`()
    async throws
  {
    let table = try Table([
      "a": Self.phoning("stuck", "quick"),
      "stuck": serving { turn in
        turn.worker.stick()
        try await turn.worker.hang()
      },
      "quick": answering("hello"),
    ])
    let summary = try await table.say("go", caps: "seconds=6")
    #expect(summary.exit == .answered)
    #expect(summary.answer == "cap on seconds, hello")
    #expect(
      try await table.words() == [
        "prompt: go", "calls: ask,ask", "output: cap on seconds", "output: hello",
        "response: cap on seconds, hello",
      ]
    )
  }

  @Test func `The time that a friend's process takes to end is not its caller's`() async throws {
    let forever = Signal()
    let table = try Table([
      "a": Self.phoning("stuck", "done"),
      "stuck": serving { turn in
        turn.worker.linger(until: forever)
        try await turn.worker.hang()
      },
      "done": serving { turn in
        turn.worker.linger(until: forever)
        return try await turn.answer("hello")
      },
    ])
    let summary = try await table.say("go", caps: "seconds=6")
    #expect(summary.answer == "cap on seconds, hello")
    // What the one used that lives on is counted once, as is its caller's own.
    #expect(summary.usage.tokensOut == 3 + 3)
    #expect(await table.sessions.workers().map(\.tokensOut) == [6])
    #expect(try await table.talk.conversation.friends.all.count == 2)
    forever.fire()
    try await eventually { try await table.talk.conversation.friends.all.isEmpty }
    #expect(table.workers.living.map(\.agent.name) == ["a"])
  }

  @Test func `A friend that does not react is killed`() async throws {
    let table = try Table(
      ["a": Self.phoning("stuck"), "stuck": Self.hanging],
      stopPatience: .zero
    )
    let killed = Signal()
    table.workers.play("stuck") { worker in
      worker.linger(until: killed)
      try await Self.hanging(worker)
    }
    try await table.say("go", caps: "seconds=4")
    await eventually { table.workers.of("stuck").first?.wasKilled == true }
    killed.fire()
  }

  @Test func `A friend of a friend ends first`() async throws {
    let table = try Table([
      "a": Self.phoning("b"), "b": Self.phoning("c", "d"), "c": Self.hanging,
      "d": answering("hello"),
    ])
    let summary = try await table.say("go", caps: "seconds=12")
    #expect(summary.answer == "cap on seconds, hello")
    #expect(summary.exit == .answered)
  }

  @Test(arguments: ["launch", "memory", "approval"])
  func `A friend that waits has no more time than one that works`(what: String) async throws {
    let table = try Table([
      "a": answering(""),
      "friend": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "risk"))
        _ = try await turn.approval(of: "1")
        return try await turn.answer("never")
      },
    ])
    let (workers, gate) = (table.workers, Signal())
    defer { gate.fire() }
    let asking = Self.phoning("friend")
    workers.play("a") { worker in
      // Only now, because the caller has been launched.
      switch what {
      case "launch": workers.hold("friend", until: gate)
      case "memory": workers.beShort(LaunchWait(place: 1, needed: 2, free: 1))
      default: break
      }
      try await asking(worker)
    }
    // The caller still answers. On a busy machine its own cap may come before its end is told.
    let summary = try await table.say("go", caps: "seconds=12", isAttended: true)
    #expect(summary.answer == "cap on seconds")
  }

  @Test func `What a friend was writing when its time was over is its answer, and no thought`()
    async throws
  {
    func writing(isReasoning: Bool) -> Script {
      serving { turn in
        try await turn.admission()
        let change = TextChange(
          entryID: "x",
          isReasoning: isReasoning,
          keptBytes: 0,
          added: "The Bo"
        )
        try turn.worker.say(.text(turn: turn.id, change))
        try await turn.worker.hang()
      }
    }
    let table = try Table([
      "a": Self.phoning("writes", "thinks"),
      "writes": writing(isReasoning: false),
      "thinks": writing(isReasoning: true),
    ])
    #expect(try await table.say("go", caps: "seconds=4").answer == "The Bo, cap on seconds")
  }

  @Test func `After a restart a friend gets its part of what is left`() async throws {
    let restart = try Restart(["friend": Self.hanging]) { turn in
      try await turn.admission()
      try await turn.record(.call("friend", "ask"))
    }
    try await restart.fall(caps: "seconds=6")
    let table = try Table(["a": answering(""), "friend": Self.hanging], after: restart.before)
    table.workers.play(
      "a",
      serving { turn in
        let answer = try await turn.phone("friend", "go", callID: "friend")
        return try await turn.answer("\(answer.exit)")
      }
    )
    let summary = try #require(try await table.talk.resume { _ in })
    #expect(summary.answer == "cap on seconds")
    #expect(summary.exit == .answered)
  }

  @Test func `The time that a friend took before a restart is spent`() async throws {
    let isAsked = Signal()
    let restart = try Restart([
      "friend": Restart.until(isAsked) { turn in
        try await turn.admission()
        try await turn.record(.call("1", "look"))
      }
    ]) { turn in
      try await turn.admission()
      try await turn.record(.call("friend", "ask"))
      Task { try await turn.phone("friend", "go", callID: "friend") }
      await isAsked.wait()
    }
    try await restart.fall()
    // The friend's last entry came long after the caller's.
    try await restart.before.journal.database.write { db in
      try db.execute(sql: "UPDATE turn SET started = started - 100 WHERE id = 1")
      try db.execute(sql: "UPDATE fact SET at = at - 100 WHERE turn = 1")
    }
    let turn = try await InterruptedTurn(first: restart.before.journal)
    #expect((100..<150).contains(turn.spent), "\(turn.spent)")
  }
}
