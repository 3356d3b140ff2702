import AgentKit
import Foundation
import Testing

@testable import Journal

/// The calls that wait for the clients that are to perform them.
struct ClientCallTests {
  @Test func `Calls wait from when they are asked until they are answered`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk("one")
    let reader = try file.reader()
    func happen(_ events: Fact.Event...) async throws {
      try await journal.append(events, in: conversation, turn: turn, agent: "a", run: "a-1")
    }
    try await happen(.recorded(RawEntry(.calls("x", "y", "z")), nil))
    #expect(try await reader.clientCalls().isEmpty)
    try await happen(.askedClient(calls: ["x", "z"]))
    let waiting = try await reader.clientCalls()
    #expect(waiting.map(\.callID) == ["x", "z"])
    #expect(waiting.allSatisfy { $0.session == "one" && $0.turn == turn && $0.agent == "a" })
    try await happen(.answeredClient([.init(callID: "x", text: "seen")], request: nil))
    #expect(try await reader.clientCalls().map(\.callID) == ["z"])
    try await happen(.recorded(RawEntry(.output("z")), nil))
    #expect(try await reader.clientCalls().isEmpty)
    #expect(try await reader.session(ofTurn: turn) == "one")
    #expect(try await reader.session(ofTurn: turn + 1) == nil)
  }

  @Test func `The end of a turn ends their wait`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk("one")
    try await journal.append(
      [.recorded(RawEntry(.calls("x")), nil), .askedClient(calls: ["x"])],
      in: conversation,
      turn: turn,
      agent: "a"
    )
    #expect(try await file.reader().clientCalls().count == 1)
    try await journal.end(turn, of: conversation)
    #expect(try await file.reader().clientCalls().isEmpty)
  }

  @Test func `A client that answers lets the turn be taken up as often as a new one`() async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk("one")
    for _ in 0..<3 {
      try await journal.append([.resumed(spent: 1)], in: conversation, turn: turn)
    }
    #expect(try await file.reader().turns(of: conversation).last?.resumptions == 3)
    try await journal.append(
      [.answeredClient([], request: nil), .resumed(spent: 1)],
      in: conversation,
      turn: turn
    )
    #expect(try await file.reader().turns(of: conversation).last?.resumptions == 1)
  }
}
