import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

/// A coordinator resumes the turns that an earlier one left open, without being asked.
@Suite(.timeLimit(.minutes(5)))
struct OpenTurnTests {
  @Test func `All are finished, but for the one that something else finishes`() async throws {
    let before = try Table(["a": answering("hello")])
    for (index, name) in ["one", "two", "chat", "done"].enumerated() {
      let talk = try await before.sessions.session(named: name)
      let summary = try #require(try await talk.respond(to: name, caps: Caps()) { _ in })
      #expect(summary.turn == Int64(index + 1))
      if name != "done" { try await before.forgetEnd(of: summary.turn) }
    }
    let table = try Table(["a": answering("never")], after: before)
    let told = Mutex<[String]>([])
    try await table.sessions.resumeInterrupted(except: "chat") { name, event in
      switch event {
      case .resumed(_, _, let prompt): told.withLock { $0.append("\(name): resumed \(prompt)") }
      case .ended(let summary): told.withLock { $0.append("\(name): \(summary.exit)") }
      default: break
      }
    }
    #expect(
      told.withLock { $0 } == [
        "one: resumed one", "one: answered", "two: resumed two", "two: answered",
      ]
    )
    let open = try await JournalReader(table.journal).conversationsWithOpenTurns()
    #expect(open.map(\.name) == ["chat"])
    #expect(try await table.sessions.session(named: "chat").isInterrupted)
  }

  @Test func `One in which a call waits for a person is left to the next prompt`() async throws {
    let asked = Signal()
    let before = try Table([
      "a": serving { turn in
        try await turn.record(.call("1", "risk"))
        _ = try await turn.approval(of: "1")
        return .answered
      }
    ])
    // Nothing waits for the first coordinator, because its process would be gone.
    Task {
      try await before.say("go", isAttended: true) { event in
        if case .approvalAsked = event { asked.fire() }
      }
    }
    await asked.wait()
    let table = try Table(["a": answering("done")], after: before)
    let told = Mutex<[TurnEvent]>([])
    try await table.sessions.resumeInterrupted { _, event in
      told.withLock { $0.append(event) }
    }
    guard case .trouble(let words)? = told.withLock({ $0.first }) else {
      Issue.record("It is not reported.")
      return
    }
    #expect(words.contains("waiting for a person"))
    #expect(told.withLock { $0.count } == 1)
    #expect(table.workers.launched.isEmpty)
    #expect(try await table.talk.isInterrupted)
    #expect(try await table.talk.resume(isAttended: true) { _ in }?.answer == "done")
  }

  @Test func `One in which no person was there to approve a call needs none to go on`()
    async throws
  {
    let denied = Signal()
    let before = try Table([
      "a": serving { turn in
        try await turn.record(.call("1", "risk"))
        _ = try await turn.approval(of: "1")
        denied.fire()
        try await turn.worker.hang()
      }
    ])
    // Nothing waits for the first coordinator, because its process would be gone.
    Task { try await before.say("go") }
    await denied.wait()
    let table = try Table(["a": answering("done")], after: before)
    try await table.sessions.resumeInterrupted { _, _ in }
    let turns = try await JournalReader(table.journal).turns(of: 1)
    #expect(turns.map(\.exit) == [.answered])
  }

  @Test func `Friends' turns below one that has an end are ended, however deep`() async throws {
    let before = try Table([
      "a": serving { try await $0.answerWithFriend("b", "why?") },
      "b": serving { try await $0.answerWithFriend("c", "why?") },
      "c": answering("because"),
    ])
    try await before.say("go")
    let friends = try await before.friends()
    #expect(friends.map(\.holder) == ["b", "c"])
    let reader = JournalReader(before.journal)
    for friend in friends {
      for turn in try await reader.turns(of: friend.id) { try await before.forgetEnd(of: turn.id) }
    }
    let table = try Table(["a": answering("never")], after: before)
    try await table.sessions.resumeInterrupted { _, _ in }
    for friend in friends {
      #expect(try await reader.turns(of: friend.id).map(\.exit) == [.answered])
    }
    #expect(try await JournalReader(table.journal).endedTurnsWithOpenFriends().isEmpty)
  }

  @Test func `One whose agent is not there is left for when it is`() async throws {
    let before = try Table(["a": answering("hello")])
    let summary = try await before.say("go")
    try await before.forgetEnd(of: summary.turn)
    let table = try Table(["b": answering("never")], after: before)
    let told = Mutex<[String: TurnEvent]>([:])
    try await table.sessions.resumeInterrupted { name, event in
      told.withLock { $0[name] = event }
    }
    guard case .trouble(let words)? = told.withLock({ $0["talk"] }) else {
      Issue.record("It is not reported.")
      return
    }
    #expect(words.contains("waiting for its agent 'a'"))
    let reader = JournalReader(table.journal)
    #expect(try await reader.conversationsWithOpenTurns().map(\.name) == ["talk"])
    #expect(try await reader.turns(of: 1).map(\.resumptions) == [0])
  }

  @Test func `One that is given up is told of, and begun no more`() async throws {
    let before = try Table(["a": answering("hello")])
    let summary = try await before.say("go\non")
    try await before.forgetEnd(of: summary.turn)
    for _ in 0..<InterruptedTurn.maximumResumptions {
      try await before.journal.resume(summary.turn)
    }
    let table = try Table(["a": answering("never")], after: before)
    let told = Mutex<[String]>([])
    try await table.sessions.resumeInterrupted { name, event in
      if case .trouble(let words) = event { told.withLock { $0.append("\(name): \(words)") } }
    }
    #expect(told.withLock { $0.count } == 1)
    #expect(
      told.withLock { $0.first }?.hasPrefix("talk: the interrupted turn 'go on' was abandoned")
        == true
    )
    #expect(table.workers.launched.isEmpty)
  }
}
