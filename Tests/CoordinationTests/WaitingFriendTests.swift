import AgentKit
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct WaitingFriendTests {
  /// Phones `count` friends at the same time.
  private static func phoning(_ count: Int) -> Script {
    serving { turn in
      try await turn.admission()
      let ids = (1...count).map(String.init)
      try await turn.record(.calls(ids, "ask"))
      let answers = try await withThrowingTaskGroup(of: FriendAnswer.self) { group in
        for id in ids {
          group.addTask { try await turn.phone("friend", "go", callID: id) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for id in ids { try await turn.record(.output(id, "ask", "asked")) }
      return try await turn.answer("\(answers.map { $0.text ?? "\($0.exit)" })")
    }
  }

  @Test func `Friends for whom nothing is left wait until others are back`() async throws {
    let table = try Table([
      "a": Self.phoning(7),
      "friend": answering("yes"),
    ])
    // Seven friends use one round each, which leaves one for the answer.
    let summary = try await table.say("go", caps: "rounds=9")
    #expect(summary.answer == "\(Array(repeating: "yes", count: 7))")
    #expect(summary.exit == .answered)
  }

  @Test func `Friends that wait for others are not asked when the turn is stopped`() async throws {
    let table = try Table([
      "a": Self.phoning(4),
      "friend": serving { try await $0.worker.hang() },
    ])
    let talk = try await table.talk
    async let turn = table.say("go", caps: "rounds=4")
    await eventually { table.workers.of("friend").count == 2 }
    await eventually { await talk.conversation.turn?.turn.waiting.later.count == 2 }
    await talk.cancel()
    #expect(try await turn.exit == .cancelled)
    #expect(table.workers.of("friend").count == 2)
    #expect(await talk.conversation.turn == nil)
  }
}
