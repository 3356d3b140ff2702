import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

/// Records are read back as they were written.
struct RecordTests {
  private static let schema = GenerationSchema(
    type: String.self,
    description: "a colour",
    anyOf: ["red", "blue"]
  )

  /// One entry of every kind, with everything that it can hold.
  private static let entries: [Transcript.Entry] = [
    .instructions(
      .init(
        segments: [.text(.init(content: "You fold."))],
        toolDefinitions: [.init(name: "look", description: "looks", parameters: schema)]
      )
    ),
    .prompt(
      .init(
        segments: [.text(.init(content: "fold a \"crane\"\n\u{1F9A2} \u{0}"))],
        options: GenerationOptions(temperature: 0.5, maximumResponseTokens: 9)
      )
    ),
    .reasoning(.init(segments: [.text(.init(content: "hm"))])),
    .toolCalls(
      .init([
        .init(
          id: "1",
          toolName: "look",
          arguments: GeneratedContent(properties: ["z": "last", "a": 1.25, "list": [true]])
        ),
        .init(id: "2", toolName: "look", arguments: GeneratedContent(properties: [:])),
      ])
    ),
    .toolOutput(.init(id: "1", toolName: "look", segments: [.text(.init(content: "seen"))])),
    .response("done"),
  ]

  @Test(arguments: entries.indices)
  func `Every kind of entry is read back as it was written`(index: Int) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let entry = Self.entries[index]
    let written = try await journal.append(
      entry,
      conversation: conversation,
      turn: turn,
      agent: "a",
      run: "a-1"
    )
    let read = try #require(try await file.reader().entries(of: conversation).last)
    #expect(read.entry == entry)
    #expect(read.id == written.id)
    #expect((read.conversation, read.turn) == (conversation, turn))
    #expect((read.agent, read.run) == ("a", "a-1"))
    #expect(abs(read.at.timeIntervalSince(written.at)) < 0.001)
  }

  @Test func `The order of an object's keys is kept`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.append(
      Self.entries[3],
      conversation: conversation,
      turn: turn,
      agent: "a",
      run: "a-1"
    )
    let read = try await file.reader().entries(of: conversation).last?.entry
    guard case .toolCalls(let calls) = read else {
      Issue.record("There are no calls.")
      return
    }
    let arguments = try #require(calls.first).arguments.jsonString
    #expect(arguments == #"{"z": "last", "a": 1.25, "list": [true]}"#)
  }

  @Test func `A conversation is begun once, and then known`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let begun = try await journal.conversation(named: "talk", holder: "a")
    let known = try await journal.conversation(named: "talk", holder: "b")
    #expect(known == begun)
    #expect((begun.name, begun.holder) == ("talk", "a"))
    #expect(begun.parent == nil)
    #expect(try await file.reader().conversation(named: "talk") == begun)
    #expect(try await file.reader().conversation(named: "other") == nil)
  }

  @Test func `Conversations come with the last used first, and friends' not among them`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (first, turn) = try await journal.beginTalk("first")
    _ = try await journal.beginTalk("second")
    try await journal.ask("title", turn: turn, callID: "1")
    _ = try await journal.conversation(named: "unused", holder: "a")
    let names = try await file.reader().conversations().map(\.name)
    #expect(names == ["second", "first", "unused"])
    _ = try await journal.beginTurn(in: first, prompt: .prompt("again"))
    #expect(try await file.reader().conversations().map(\.name).first == "first")
  }

  @Test func `Friends stand under their call, in their order`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (_, turn) = try await journal.beginTalk()
    for (agent, call) in [("title", "2"), ("title", "1"), ("coach", "3")] {
      try await journal.ask(agent, turn: turn, callID: call)
    }
    let friends = try await file.reader().friends(of: turn)
    #expect(friends.map(\.holder) == ["title", "title", "coach"])
    #expect(friends.map(\.parent?.callID) == ["2", "1", "3"])
    #expect(friends.map(\.parent?.turn) == [turn, turn, turn])
    #expect(friends.map(\.name) == [nil, nil, nil])
  }

  @Test func `A friend's conversation begins with its prompt, or not at all`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (_, turn) = try await journal.beginTalk()
    try await journal.ask("title", turn: turn, callID: "1")
    let friend = try #require(try await file.reader().friends(of: turn).first)
    let entries = try await file.reader().entries(of: friend.id)
    #expect(entries.map(\.entry.segments.joinedText) == ["a title?"])
    #expect(try await file.reader().turns(of: friend.id).map(\.id) == entries.map(\.turn))
    try await journal.database.write { try $0.execute(sql: "ALTER TABLE entry RENAME TO lost") }
    await #expect(throws: (any Error).self) {
      try await journal.ask("title", turn: turn, callID: "2")
    }
    try await journal.database.write { try $0.execute(sql: "ALTER TABLE lost RENAME TO entry") }
    #expect(try await file.reader().friends(of: turn).count == 1)
  }

  @Test func `A prompt and its turn begin together`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let conversation = try await journal.conversation(named: "talk", holder: "a")
    let (turn, entry) = try await journal.beginTurn(in: conversation.id, prompt: .prompt("hi"))
    let turns = try await file.reader().turns(of: conversation.id)
    #expect(turns.map(\.id) == [turn.id])
    #expect(turns.map(\.exit) == [nil])
    #expect(turns.map(\.ended) == [nil])
    #expect(entry.agent == nil)
    #expect(entry.run == nil)
    #expect(try await file.reader().entries(of: conversation.id).map(\.id) == [entry.id])
    await #expect(throws: (any Error).self) {
      try await journal.beginTurn(in: 999, prompt: .prompt("to nobody"))
    }
    #expect(try await file.reader().turns(of: 999).isEmpty)
  }

  @Test(arguments: [
    TurnExit.answered, .modeChanged, .finalAnswer, .cap("rounds"), .cancelled, .refused("no"),
    .failed("it \"broke\""),
  ])
  func `Every exit is read back`(exit: TurnExit) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.endTurn(turn, exit: exit, revertingTo: nil)
    let read = try #require(try await file.reader().turns(of: conversation).first)
    #expect(read.exit == exit)
    #expect(!read.isReverted)
    #expect(read.ended != nil)
  }

  @Test func `The baton's way is kept, and a turn that is taken back gives it back`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for (from, to) in [("a", "b"), ("b", "c")] {
      try await journal.passBaton(in: conversation, turn: turn, from: from, to: to, callID: to)
    }
    let batons = try await file.reader().batons(of: turn)
    #expect(batons.map(\.from) == ["a", "b"])
    #expect(batons.map(\.to) == ["b", "c"])
    #expect(batons.map(\.callID) == ["b", "c"])
    #expect(try await file.reader().conversation(named: "talk")?.holder == "c")
    try await journal.endTurn(turn, exit: .cancelled, revertingTo: "a")
    #expect(try await file.reader().conversation(named: "talk")?.holder == "a")
    #expect(try await file.reader().turns(of: conversation).map(\.isReverted) == [true])
    // The entries of the reverted turn stay on record.
    #expect(try await file.reader().entries(of: conversation).count == 1)
    #expect(try await file.reader().batons(of: turn).count == 2)
  }

  @Test func `A pass that comes after the end of its turn moves nothing`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.endTurn(turn, exit: .cancelled, revertingTo: "a")
    let isPassed = try await journal.passBaton(
      in: conversation,
      turn: turn,
      from: "a",
      to: "b",
      callID: "1"
    )
    #expect(!isPassed)
    #expect(try await file.reader().conversation(named: "talk")?.holder == "a")
    #expect(try await file.reader().batons(of: turn).isEmpty)
  }

  @Test func `A turn begins with who takes the baton of one that is gone, both or neither`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let conversation = try await journal.conversation(named: "talk", holder: "a").id
    let substitution = BatonSubstitution(from: "a", to: "b")
    try await journal.database.write { try $0.execute(sql: "ALTER TABLE baton RENAME TO lost") }
    await #expect(throws: (any Error).self) {
      try await journal.beginTurn(
        in: conversation,
        prompt: .prompt("hi"),
        substitution: substitution
      )
    }
    try await journal.database.write { try $0.execute(sql: "ALTER TABLE lost RENAME TO baton") }
    #expect(try await file.reader().turns(of: conversation).isEmpty)
    let (turn, _) = try await journal.beginTurn(
      in: conversation,
      prompt: .prompt("hi"),
      substitution: substitution
    )
    #expect(try await file.reader().conversation(named: "talk")?.holder == "b")
    #expect(try await file.reader().batons(of: turn.id).map(\.from) == ["a"])
  }

  @Test func `Entries come in the order in which they were written`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let (other, otherTurn) = try await journal.beginTalk("other")
    for number in 0..<20 {
      let isOther = number % 3 == 0
      try await journal.append(
        .response("\(number)"),
        conversation: isOther ? other : conversation,
        turn: isOther ? otherTurn : turn,
        agent: "a",
        run: "a-1"
      )
    }
    let read = try await file.reader().entries(of: conversation)
    let numbers = (0..<20).filter { $0 % 3 != 0 }
    #expect(read.map(\.entry.text) == ["hello"] + numbers.map(String.init))
    #expect(read.map(\.id) == read.map(\.id).sorted())
  }
}

extension Transcript.Entry {
  fileprivate var text: String {
    switch self {
    case .prompt(let prompt): prompt.segments.joinedText
    case .response(let response): response.segments.joinedText
    case .instructions, .toolCalls, .toolOutput, .reasoning: ""
    }
  }
}

extension Journal {
  /// Phones a friend and asks for a title.
  fileprivate func ask(_ friend: String, turn: Int64, callID: String) async throws {
    _ = try await beginFriend(friend, prompt: .prompt("a title?"), turn: turn, callID: callID)
  }
}
