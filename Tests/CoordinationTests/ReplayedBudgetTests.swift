import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

/// What a later coordinator learns about a budget from the journal.
@Suite(.timeLimit(.minutes(5)))
struct ReplayedBudgetTests {
  /// Makes three calls at once and answers with the outputs of those that were admitted.
  private static let greedy = serving { turn in
    try await turn.admission()
    let ids = ["x", "y", "z"]
    let admitted = try await turn.record(.calls(ids, "look"), tokens: 1)
    for (place, id) in ids.enumerated() {
      try await turn.record(.output(id, "look", place < admitted ? "seen" : "refused"))
    }
    return try await turn.answer("The Boat")
  }

  @Test func `A friend's answer that a cap cut short is told so, whatever ends its turn`()
    async throws
  {
    let restart = try Restart(["title": Self.greedy]) { turn in
      try await turn.record(.call("1", "ask"))
      _ = try await turn.phone("title", "a boat", callID: "1")
    }
    try await restart.fall(caps: "calls=4")
    let reader = JournalReader(restart.before.journal)
    for friend in try await restart.before.friends() {
      for turn in try await reader.turns(of: friend.id) {
        #expect(turn.exit == .cap("calls"))
        try await restart.before.forgetEnd(of: turn.id)
      }
    }
    let heard = Mutex<[FriendAnswer]>([])
    let table = try Table(
      [
        "a": serving { turn in
          let answer = try await turn.phone("title", "a boat", callID: "1")
          heard.withLock { $0.append(answer) }
          return try await turn.answer("done")
        },
        "title": answering("never"),
      ],
      after: restart.before
    )
    _ = try await table.talk.resume { _ in }
    #expect(heard.withLock { $0.map(\.exit) } == [.cap("calls")])
    #expect(heard.withLock { $0.map(\.text) } == ["The Boat"])
  }

  @Test func `An answer that its server cut off says so`() async throws {
    let restart = try Restart { turn in
      try await turn.admission()
      try await turn.record(.response("so far", cutBy: "length"), tokens: 1)
    }
    try await restart.fall()
    let table = try Table(["a": answering("never")], after: restart.before)
    let summary = try #require(try await table.talk.resume { _ in })
    #expect(summary.exit == .cap("length"))
    #expect(summary.answer == "so far")
  }

  @Test func `An answer that a tool has given needs no request`() async throws {
    let restart = try Restart { turn in
      try await turn.admission()
      try await turn.record(.call("1", "look"), tokens: 1)
      try await turn.record(.output("1", "look", "The turn ends here."))
      _ = try await turn.ask(.record([RawEntry(.response("done"))], RequestUsage()))
    }
    try await restart.fall(caps: "rounds=1")
    let table = try Table(["a": answering("never")], after: restart.before)
    let summary = try #require(try await table.talk.resume { _ in })
    #expect(summary.exit == .answered)
    #expect(summary.answer == "done")
  }

  @Test func `What a friend is given comes back from the journal, unless it cannot be`() throws {
    var budget = Budget(try GivenCaps("calls=3,policy=fail").over(Caps()))
    _ = budget.admitCalls(1)
    guard case .reserved(var friend) = budget.reserveFriend() else {
      Issue.record("The friend was refused.")
      return
    }
    let given = friend.journaled
    #expect(Budget(journaled: given) == friend)
    friend.spend(tokens: 1 << 40)
    let overdrawn = friend.journaled
    #expect(Budget(journaled: overdrawn) == nil)
    #expect(Budget(journaledRest: overdrawn) == nil, "more than any model makes")
    #expect(Budget(journaled: #"{"rounds":1}"#) == nil)
  }
}
