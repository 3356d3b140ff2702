import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

/// Sessions that begin with what another has come to.
@Suite(.timeLimit(.minutes(2))) struct SessionForkTests {
  private let file: JournalFile
  private let journal: Journal

  init() throws {
    file = try JournalFile()
    journal = try file.open()
  }

  private func talk(_ name: String) async throws -> ConversationRecord {
    try #require(try await file.reader().conversation(named: name))
  }

  private func history(_ name: String) async throws -> [String] {
    let id = try await talk(name).id
    return try await file.reader().history(of: id).map(\.json)
  }

  @Test func `A fork is whole, and stays so when its original is deleted`() async throws {
    try await journal.play("one")
    try await journal.fork("one", as: "two", origin: "tester/1")
    #expect(try await history("two") == history("one"))
    let fork = try await talk("two")
    #expect(fork.holder == "b")
    #expect(fork.origin == "tester/1")
    #expect(!fork.isTemporary)
    let turn = try #require(try await file.reader().turns(of: fork.id).first)
    #expect(try await file.reader().friends(of: turn.id).count == 1)
    for session in [nil, "one", "two"] {
      #expect(try await file.reader().inspect(session: session).flaws == [])
    }
    // The worker was that of the original.
    #expect(try await file.reader().runs().map(\.conversation) == [try await talk("one").id])
    #expect(try await journal.remove("one", compacts: false).runs == [])
    #expect(try await file.reader().inspect().flaws == [])
    let exported = file.folder.appending(path: "two.jsonl").path
    let rows = try await file.reader().export("two", to: exported).rows
    #expect(rows == Journal.playedFacts)
    #expect(try await journal.importSession(from: exported, as: "three") == "three")
    #expect(try await history("three") == history("two"))
  }

  @Test func `A fork ends with the turn that is named`() async throws {
    let (conversation, first) = try await journal.play("one")
    let second = try await journal.beginTurn("more", in: conversation)
    try await journal.append(.calls("ask"), in: conversation, turn: second)
    let friend = try await journal.phone("title", call: "ask", of: conversation, turn: second)
    try await journal.end(friend.turn, of: friend.conversation)
    let back = BatonPass(from: "b", to: "a", callID: nil)
    try await journal.append([.passedBaton(back)], in: conversation, turn: second)
    // The second turn goes on, which keeps no one from the first.
    try await journal.fork("one", through: first, as: "two")
    let fork = try await talk("two")
    #expect(fork.holder == "b")
    #expect(try await talk("one").holder == "a")
    let turns = try await file.reader().turns(of: fork.id)
    #expect(turns.map(\.exit) == [.answered])
    #expect(try await file.reader().inspect().flaws == [])
    #expect(try await history("one").starts(with: history("two")))
    #expect(try await history("one").count == history("two").count + 2)
    try await journal.beginTurn("again", in: fork.id)
    #expect(try await file.reader().inspect(session: "two").flaws == [])
  }

  @Test func `A fork that cannot be is refused, and leaves nothing`() async throws {
    let (conversation, _) = try await journal.play("one")
    let other = try await journal.play("other")
    let open = try await journal.beginTurn("more", in: conversation)
    let before = try await file.reader().inspect()
    for (turn, name, error) in [
      (nil, "two", SessionError.isUnderWay("one")), (open, "two", .isUnderWay("one")),
      (other.turn, "two", .unknownTurn("one", turn: other.turn)),
      (99, "two", .unknownTurn("one", turn: 99)), (nil, "other", .nameTaken("other")),
    ] {
      await #expect(throws: error) { try await journal.fork("one", through: turn, as: name) }
    }
    await #expect(throws: SessionError.unknown("none")) {
      try await journal.fork("none", as: "two")
    }
    #expect(try await file.reader().inspect() == before)
  }

  @Test func `A request joins the turn that it asked for, and no copy`() async throws {
    let id = try await journal.conversation(named: "one", holder: "a").id
    let begun = try await journal.beginTurn(
      in: id,
      prompt: RawEntry(.prompt("hello")),
      caps: "{}",
      options: TurnOptions(stop: ["x"]),
      request: "r"
    )
    try await journal.end(begun.turn.id, of: id)
    try await journal.fork("one", as: "two")
    let content = try await file.reader().export("one").content
    try await journal.importSession(content, from: "one.jsonl", as: "three")
    #expect(try await file.reader().turn(ofRequest: "r") == file.reader().turns(of: id).first)
    #expect(try await file.reader().turn(ofRequest: "other") == nil)
    for name in ["one", "two", "three"] {
      let facts = try await file.reader().facts(of: talk(name).id)
      let prompts = facts.compactMap { fact -> (TurnOptions?, String?)? in
        guard case .prompted(_, _, let options, let request) = fact.event else { return nil }
        return (options, request)
      }
      #expect(prompts.map(\.0) == [TurnOptions(stop: ["x"])])
      #expect(prompts.map(\.1) == [name == "one" ? "r" : nil])
    }
    // One request asks for one turn.
    await #expect(throws: (any Error).self) {
      try await journal.beginTurn(
        in: id,
        prompt: RawEntry(.prompt("hello")),
        caps: "{}",
        request: "r"
      )
    }
    #expect(try await file.reader().inspect().flaws == [])
  }
}

/// Sessions that begin with a conversation that another program kept.
@Suite(.timeLimit(.minutes(2))) struct ImportedHistoryTests {
  private let file: JournalFile
  private let journal: Journal
  private let entries: [RawEntry]

  init() throws {
    file = try JournalFile()
    journal = try file.open()
    entries = try [.prompt("hello"), .calls("look"), .output("look"), .response("hi")]
      .map(RawEntry.init)
  }

  private let start = ConversationStart(
    name: "talk",
    holder: "a",
    origin: "client/2",
    isTemporary: true
  )

  @Test func `They are the beginning of the history, whatever is taken back`() async throws {
    let record = try await journal.conversation(start, history: entries)
    #expect(record.origin == "client/2")
    #expect(record.isTemporary)
    #expect(try await file.reader().temporarySessions() == ["talk"])
    // It exists now, and begins only once.
    #expect(try await journal.conversation(start, history: entries) == record)
    let turn = try await journal.beginTurn("more", in: record.id)
    try await journal.append(.response("no"), in: record.id, turn: turn)
    try await journal.end(turn, of: record.id, .cancelled, revertingTo: "a")
    #expect(try await file.reader().history(of: record.id).elementsEqual(entries))
    let next = try await journal.beginTurn("again", in: record.id)
    try await journal.edit(in: record.id, turn: next) { Array($0.dropFirst(2)) }
    try await journal.end(next, of: record.id)
    #expect(try await file.reader().history(of: record.id).count == 3)
    #expect(try await file.reader().entries(of: record.id).prefix(4).map(\.turn) == [0, 0, 0, 0])
    let inspection = try await file.reader().inspect()
    #expect(inspection.flaws == [])
    #expect(inspection.entries == 7)
  }

  @Test func `They come along with a copy, which is kept`() async throws {
    let id = try await journal.conversation(start, history: entries).id
    try await journal.end(try await journal.beginTurn("more", in: id), of: id)
    let content = try await file.reader().export("talk").content
    try await journal.importSession(content, from: "talk.jsonl", as: "copy")
    try await journal.fork("talk", as: "fork")
    let history = try await file.reader().history(of: id)
    for name in ["copy", "fork"] {
      let copy = try #require(try await file.reader().conversation(named: name))
      #expect(try await file.reader().history(of: copy.id) == history)
      #expect(!copy.isTemporary)
    }
    #expect(try await file.reader().inspect().flaws == [])
  }

  @Test func `They follow no turn`() async throws {
    let id = try await journal.conversation(start, history: entries).id
    try await journal.beginTurn("more", in: id)
    let late = Fact.Event.importedEntry(try RawEntry(.prompt("late")))
    await #expect(throws: (any Error).self) { try await journal.append([late], in: id) }
    #expect(try await file.reader().inspect().flaws == [])
  }
}
