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
    let written = try await journal.append(entry, in: conversation, turn: turn, run: "a-1")
    let read = try #require(try await file.reader().entries(of: conversation).last)
    #expect(read.entry == entry)
    #expect(read.raw.json == (try RawEntry(entry).json))
    #expect(read.size == read.raw.json.utf8.count)
    #expect(read.id == written.id)
    #expect((read.conversation, read.turn) == (conversation, turn))
    #expect((read.agent, read.run, read.at) == ("a", "a-1", written.at))
  }

  @Test func `The JSON of an entry is kept byte by byte`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    // Spaces and an order of keys that no encoder here writes.
    let json = try RawEntry(.response("caf\u{E9}")).json
    let spaced = json.replacing(":", with: " : ", maxReplacements: 1)
    let entry = try RawEntry(json: spaced)
    try await journal.append([.recorded(entry, nil)], in: conversation, turn: turn, agent: "a")
    let read = try #require(try await file.reader().entries(of: conversation).last)
    #expect(Array(read.raw.json.utf8) == Array(spaced.utf8))
  }

  @Test func `Every kind of fact is read back as it was returned, and after any other`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let conversation = try await journal.playEverything("whole")
    let reader = try file.reader()
    let all = try await reader.facts(after: 0, limit: .max)
    // `imported` is written by an import alone, `importedEntry` only where a conversation begins.
    let kinds = Set(Fact.Event.Kind.allCases).subtracting([.imported, .importedEntry])
    #expect(Set(all.map(\.event.kind)) == kinds)
    #expect(all.map(\.id) == all.map(\.id).sorted())
    let turn = try #require(try await reader.turns(of: conversation).last).id
    let written = try await journal.append(
      [
        .resumed(spent: 0.1), .abandonedRequest(tokens: 7),
        .ended(.refused("no"), revertingTo: "a"),
      ],
      in: conversation,
      turn: turn,
      agent: "a",
      run: "a-9"
    )
    let last = try #require(all.last)
    #expect(try await reader.facts(after: last.id, limit: 9) == written)
    #expect(try await reader.facts(after: last.id, limit: 2) == Array(written.prefix(2)))
    #expect(try await reader.facts(of: conversation, turn: turn).suffix(3) == written[...])
    let own = try await reader.facts(of: conversation)
    #expect(own == (all + written).filter { $0.conversation == conversation })
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
    try await journal.phone("title", call: "1", of: first, turn: turn)
    _ = try await journal.conversation(named: "unused", holder: "a")
    let names = try await file.reader().conversations().map(\.name)
    #expect(names == ["second", "first", "unused"])
    try await journal.beginTurn("again", in: first)
    #expect(try await file.reader().conversations().map(\.name).first == "first")
  }

  @Test func `Friends stand under their call, in their order`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    for (agent, call) in [("title", "2"), ("title", "1"), ("coach", "3")] {
      try await journal.phone(agent, call: call, of: conversation, turn: turn)
    }
    let friends = try await file.reader().friends(of: turn)
    #expect(friends.map(\.holder) == ["title", "title", "coach"])
    #expect(friends.map(\.parent?.callID) == ["2", "1", "3"])
    #expect(friends.map(\.parent?.turn) == [turn, turn, turn])
    #expect(friends.map(\.name) == [nil, nil, nil])
  }

  @Test func `A friend begins with its prompt and the call that asks it, or not at all`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.phone("title", call: "1", of: conversation, turn: turn)
    let reader = try file.reader()
    let friend = try #require(try await reader.friends(of: turn).first)
    let entries = try await reader.entries(of: friend.id)
    #expect(entries.map(\.entry.segments.joinedText) == ["a title?"])
    #expect(try await reader.turns(of: friend.id).map(\.id) == entries.map(\.turn))
    let calls = try await reader.facts(of: conversation, turn: turn).compactMap { fact in
      if case .phoned(let call) = fact.event { call } else { nil }
    }
    let call = FriendCall(conversation: friend.id, callID: "1", friend: "title", prompt: "a title?")
    #expect(calls == [call])
    // The fact that comes last is refused.
    try await journal.refuse("phoned")
    await #expect(throws: JournalError.self) {
      try await journal.phone("title", call: "2", of: conversation, turn: turn)
    }
    try await journal.database.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    #expect(try await reader.friends(of: turn).count == 1)
    #expect(try await reader.inspect().flaws == [])
  }

  @Test func `A prompt and its turn begin together`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let conversation = try await journal.conversation(named: "talk", holder: "a")
    let prompt = try RawEntry(.prompt("hi"))
    let begun = try await journal.beginTurn(in: conversation.id, prompt: prompt, caps: "{\"a\":1}")
    let turns = try await file.reader().turns(of: conversation.id)
    #expect(turns == [begun.turn])
    #expect(turns.map(\.exit) == [nil])
    #expect(turns.map(\.caps) == ["{\"a\":1}"])
    #expect(begun.facts.map(\.event) == [.prompted(prompt, caps: "{\"a\":1}")])
    #expect(try await file.reader().entries(of: conversation.id).map(\.id) == begun.facts.map(\.id))
    await #expect(throws: JournalError.self) { try await journal.beginTurn("lost", in: 999) }
    #expect(try await file.reader().turns(of: 999).isEmpty)
  }

  @Test(arguments: [
    TurnExit.answered, .modeChanged, .finalAnswer, .cap("rounds"), .cancelled, .refused("no"),
    .contextSizeExceeded("too long"), .failed("it \"broke\""),
  ])
  func `Every exit is read back`(exit: TurnExit) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.end(turn, of: conversation, exit)
    let read = try #require(try await file.reader().turns(of: conversation).first)
    #expect(read.exit == exit)
    #expect(!read.isReverted)
    #expect(read.ended != nil)
  }

  @Test func `The baton's way is kept, and a turn that is taken back gives it back`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    func pass(_ from: String, _ to: String) async throws {
      let pass = BatonPass(from: from, to: to, callID: to)
      try await journal.append([.passedBaton(pass)], in: conversation, turn: turn, agent: from)
    }
    try await pass("a", "b")
    try await pass("b", "c")
    let batons = try await file.reader().batons(of: turn)
    #expect(batons.map(\.from) == ["a", "b"])
    #expect(batons.map(\.to) == ["b", "c"])
    #expect(batons.map(\.callID) == ["b", "c"])
    #expect(try await file.reader().conversation(named: "talk")?.holder == "c")
    try await journal.end(turn, of: conversation, .cancelled, revertingTo: "a")
    #expect(try await file.reader().conversation(named: "talk")?.holder == "a")
    #expect(try await file.reader().turns(of: conversation).map(\.isReverted) == [true])
    // The entries of the reverted turn stay on record.
    #expect(try await file.reader().entries(of: conversation).count == 1)
    // A pass that comes after the end of its turn moves nothing.
    try await pass("a", "d")
    #expect(try await file.reader().conversation(named: "talk")?.holder == "a")
  }

  @Test func `A turn begins with who takes the baton of one that is gone, both or neither`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let conversation = try await journal.conversation(named: "talk", holder: "a").id
    func begin() async throws -> Int64 {
      try await journal.beginTurn(
        in: conversation,
        prompt: RawEntry(.prompt("hi")),
        caps: "{}",
        substitution: BatonPass(from: "a", to: "b", callID: nil)
      ).turn.id
    }
    try await journal.refuse("passedBaton")
    await #expect(throws: JournalError.self) { try await begin() }
    try await journal.database.write { try $0.execute(sql: "DROP TRIGGER refusal") }
    #expect(try await file.reader().turns(of: conversation).isEmpty)
    let turn = try await begin()
    #expect(try await file.reader().conversation(named: "talk")?.holder == "b")
    let batons = try await file.reader().batons(of: turn)
    #expect(batons.map(\.from) == ["a"])
    #expect(batons.map(\.callID) == [nil])
  }

  @Test func `How often a turn was resumed is counted, and taken back`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    func read() async throws -> TurnRecord {
      try #require(try await file.reader().turns(of: conversation).first)
    }
    #expect(try await read().resumptions == 0)
    #expect(try await read().resumed == nil)
    try await journal.append([.leftOpen], in: conversation, turn: turn)
    for spent in [1.5, 4] {
      try await journal.append([.resumed(spent: spent)], in: conversation, turn: turn)
    }
    #expect(try await read().resumptions == 2)
    #expect(try await read().spent == 4)
    #expect(try await read().resumed != nil)
    try await journal.append([.leftOpen], in: conversation, turn: turn)
    #expect(try await read().resumptions == 1)
  }

  @Test func `A question has the answer that came first, or the end of its turn as answer`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    let question = ApprovalQuestion(callID: "c", tool: "risk", arguments: "{}")
    let asked = try await journal.append(
      [.askedApproval(question), .askedApproval(question)],
      in: conversation,
      turn: turn,
      agent: "a"
    )
    for denial in [nil, "too late"] {
      let decision = ApprovalDecision(denial: denial, by: .control)
      let event = Fact.Event.answeredApproval(question: asked[0].id, decision)
      try await journal.append([event], in: conversation, turn: turn)
    }
    let reader = try file.reader()
    let before = try await reader.approvals(of: turn)
    #expect(before.map(\.id) == asked.map(\.id))
    #expect(before.map(\.answer?.by) == [.control, nil])
    #expect(before[0].answer?.denial == nil)
    let prompt = try #require(try await reader.entries(of: conversation).first)
    #expect(before.map(\.afterEntry) == [prompt.id, prompt.id])
    #expect(try await reader.approval(asked[0].id) == before[0])
    #expect(try await reader.approval(prompt.id) == nil)
    #expect(try await reader.approval(99) == nil)
    try await journal.end(turn, of: conversation, .cancelled)
    let after = try await reader.approvals(of: turn)
    #expect(after.map(\.answer?.by) == [.control, .unanswered])
    #expect(after[1].answer?.denial == ApprovalRecord.overDenial)
  }

  @Test func `Open turns are found, also those of friends below a turn that has ended`()
    async throws
  {
    let file = try JournalFile()
    let journal = try file.open()
    let (open, _) = try await journal.beginTalk("open")
    let (conversation, turn) = try await journal.beginTalk("over")
    let friend = try await journal.phone("title", call: "1", of: conversation, turn: turn)
    let reader = try file.reader()
    #expect(try await reader.conversationsWithOpenTurns().map(\.id) == [open, conversation])
    #expect(try await reader.endedTurnsWithOpenFriends().map(\.id) == [])
    try await journal.end(turn, of: conversation)
    #expect(try await reader.conversationsWithOpenTurns().map(\.id) == [open])
    #expect(try await reader.endedTurnsWithOpenFriends().map(\.id) == [turn])
    try await journal.end(friend.turn, of: friend.conversation)
    #expect(try await reader.endedTurnsWithOpenFriends().map(\.id) == [])
  }
}

extension Journal {
  /// Makes the database refuse facts of a kind from now on.
  func refuse(_ kind: String) async throws {
    try await database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refusal BEFORE INSERT ON fact WHEN NEW.kind = '\(kind)'
          BEGIN SELECT RAISE(ABORT, 'no'); END
          """
      )
    }
  }
}
