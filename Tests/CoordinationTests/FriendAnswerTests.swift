import AgentKit
import Synchronization
import Testing
import Wire

@testable import Coordination

/// Incomplete answers of friends.
@Suite(.timeLimit(.minutes(5)))
struct FriendAnswerTests {
  @Test func `A friend that stopped at a cap says so to its caller`() async throws {
    let heard = Mutex<[FriendAnswer]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"), tokens: 2)
        let answer = try await turn.phone("b", "why?", callID: "1")
        heard.withLock { $0.append(answer) }
        return try await turn.answer("done")
      },
      "b": serving { turn in
        for round in 1... {
          if case .lastAnswer = try await turn.admission(round: round) { break }
          try await turn.record(.call("\(round)", "look"), tokens: 1)
          try await turn.record(.output("\(round)", "look", "\(round)"))
        }
        try await turn.record(.response("so far"), tokens: 1)
        return .answered
      },
    ])
    #expect(try await table.say("go", caps: "rounds=7").exit == .answered)
    #expect(heard.withLock { $0.map(\.exit) } == [.cap("rounds")])
    #expect(heard.withLock { $0.map(\.text) } == ["so far"])
    // Its part is three rounds; the fourth request is for the last answer.
    #expect(table.workers.of("b").first?.asked[.admission] == 4)
  }

  @Test func `A friend's answer that is too long for its parent is cut, and says so`() async throws
  {
    let text = String(repeating: "x", count: FriendAnswer.maximumBytes + 1)
    let table = try Table([
      "a": serving { turn in
        try await turn.record(.call("1", "ask"))
        let answer = try await turn.phone("title", "a boat", callID: "1")
        #expect(answer.text?.utf8.count == FriendAnswer.maximumBytes)
        try await turn.record(.output("1", "ask", "\(answer.exit)"))
        return try await turn.answer("\(answer.exit)")
      },
      "title": answering(text),
    ])
    #expect(try await table.say("go").answer == "cap on length")
  }
}
