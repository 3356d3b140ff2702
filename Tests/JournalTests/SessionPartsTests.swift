import AgentKit
import Foundation
import Testing

@testable import Journal

/// A session file contains everything that the journal can hold of a session.
struct SessionPartsTests {
  @Test func `A moved session has every fact that it had, under other numbers`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    let was = try await from.open().playEverything("whole")
    // The other journal has facts of its own, so that every number changes.
    let target = try to.open()
    try await target.playEverything("local")
    let content = try await from.reader().export("whole").content
    try await target.importSession(content, from: "whole.jsonl")
    let has = try #require(try await to.reader().conversation(named: "whole")).id
    #expect(has != was)
    let old = try await from.reader().facts(after: 0, limit: .max)
    let last = try #require(try await to.reader().facts(of: has - 1, turn: nil).last?.id)
    let new = try await to.reader().facts(after: 0, limit: .max).suffix(old.count + 1)
    #expect(new.allSatisfy { $0.id > last })
    // The turn without an end is marked.
    #expect(new.last?.event == .imported)
    for (old, new) in zip(old, new) {
      #expect(new.event.kind == old.event.kind)
      #expect((new.agent, new.run, new.at) == (old.agent, old.run, old.at))
      #expect(new.conversation != old.conversation)
      #expect(new.turn != old.turn || old.turn == nil)
      switch old.event {
      // These refer to others.
      case .began, .phoned, .friendEnded, .answeredApproval, .launched: break
      default: #expect(new.event == old.event)
      }
    }
    let lines = { (content: Data) in
      String(decoding: content, as: UTF8.self).split(separator: "\n").dropLast()
        .map { $0.replacing(/\\"log\\":\\"[^"]*\\"/, with: "") }
    }
    let again = try await to.reader().export("whole").content
    #expect(lines(again).dropLast() == lines(content)[...])
  }

  @Test func `A moved session is read as it was where it came from`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    try await from.open().playEverything("whole")
    let content = try await from.reader().export("whole").content
    let target = try to.open()
    try await target.play("local")
    try await target.importSession(content, from: "whole.jsonl")
    #expect(try await to.reader().inspect().flaws == [])

    let (was, has) = (try await Parts(from.reader()), try await Parts(to.reader()))
    #expect(has == was)
    #expect(was.turns.map(\.exit) == [.answered, .cap("rounds"), nil])
    #expect(was.turns.map(\.resumptions) == [0, 0, 1])
    #expect(was.turns.map(\.caps) == ["{}", "{\"rounds\":1}", "{}"])
    #expect(was.deaths.map(\.cause) == ["it was killed by signal 9"])
    #expect(was.runs.map(\.outcome) == ["finished", "finished", nil])
    #expect(was.runs.map(\.tokensOut) == [11, 33, 11])
    #expect(was.windows == ["a": 8192])
    let consolidations = was.changes.map(\.change).filter { $0.context != nil }
    #expect(consolidations.map(\.usage) == [.some])
    #expect(was.properties == ["mood": "\"bad\""])
    #expect(was.friends == ["title", "title"])
    // The turn that was interrupted in one journal can be resumed in the other.
    #expect(try await to.reader().conversationsWithOpenTurns().map(\.name) == ["whole"])
  }

  /// A session as a coordinator and a person read it, without numbers.
  private struct Parts: Equatable {
    var turns: [TurnRecord] = []
    var deaths: [DeathRecord] = []
    var changes: [StateRecord] = []
    var runs: [RunRecord] = []
    var windows: [String: Int] = [:]
    var properties: [String: String] = [:]
    var history: [String] = []
    var approvals: [ApprovalRecord.Answer?] = []
    var batons: [String] = []
    var friends: [String] = []

    init(_ reader: JournalReader) async throws {
      let session = try #require(try await reader.conversation(named: "whole")).id
      turns = try await reader.turns(of: session)
      for turn in turns {
        approvals += try await reader.approvals(of: turn.id).map(\.answer)
        batons += try await reader.batons(of: turn.id).map { "\($0.from) to \($0.to)" }
        friends += try await reader.friends(of: turn.id).map(\.holder)
      }
      deaths = try await reader.deaths(of: session)
      changes = try await reader.stateChanges(of: session)
      runs = try await reader.runs(of: session)
      windows = try await reader.windows(of: session)
      properties = try await reader.properties(of: session)
      history = try await reader.history(of: session).map(\.json)
      for index in turns.indices {
        (turns[index].id, turns[index].conversation) = (0, 0)
        turns[index].isImported = false
      }
      for index in deaths.indices { (deaths[index].turn, deaths[index].afterEntry) = (0, 0) }
      for index in changes.indices { (changes[index].turn, changes[index].afterEntry) = (0, 0) }
      for index in runs.indices { (runs[index].conversation, runs[index].log) = (0, "") }
    }
  }
}
