import AgentKit
import Foundation
import Testing

@testable import Commands
@testable import Journal

@Suite struct `A waterfall` {
  private var facts: [Fact] = []

  private mutating func add(
    _ event: Fact.Event,
    at seconds: Double,
    conversation: Int64 = 1,
    turn: Int64? = 1,
    by agent: String? = "a"
  ) {
    facts.append(
      Fact(
        id: Int64(facts.count + 1),
        conversation: conversation,
        turn: turn,
        agent: agent,
        at: Date(timeIntervalSince1970: seconds),
        event: event
      )
    )
  }

  private static func usage(_ seconds: Double, first: Double, cached: Int = 0) -> RequestUsage {
    RequestUsage(tokensCached: cached, secondsToFirstToken: first, seconds: seconds)
  }

  private static func calls(_ ids: String...) throws -> RawEntry {
    try RawEntry(
      .toolCalls(
        .init(
          id: "c",
          ids.map { .init(id: $0, toolName: "tool-\($0)", arguments: GeneratedContent("")) }
        )
      )
    )
  }

  private static func output(_ id: String) throws -> RawEntry {
    try RawEntry(.toolOutput(.init(id: id, toolName: "tool-\(id)", segments: [])))
  }

  private static func prompt() throws -> RawEntry { try RawEntry(.prompt(.init(segments: []))) }

  private static func answer() throws -> RawEntry {
    try RawEntry(.response(.init(assetIDs: [], segments: [])))
  }

  private mutating func play() throws {
    add(.began(ConversationStart(name: "talk", holder: "a")), at: 0, turn: nil)
    add(.prompted(try Self.prompt(), caps: "{}"), at: 0, by: nil)
    add(.recorded(try Self.calls("x", "y"), Self.usage(2, first: 1, cached: 7)), at: 3)
    let question = ApprovalQuestion(callID: "x", tool: "tool-x", arguments: "{}")
    add(.askedApproval(question), at: 3)
    let parent = ConversationRecord.Parent(turn: 1, callID: "y")
    let start = ConversationStart(name: nil, holder: "b", parent: parent)
    add(.began(start), at: 3, conversation: 2, turn: nil)
    add(.prompted(try Self.prompt(), caps: "{}"), at: 3, conversation: 2, turn: 2, by: nil)
    let usage = Self.usage(1, first: 0.5)
    add(.recorded(try Self.answer(), usage), at: 5, conversation: 2, turn: 2, by: "b")
    let decision = ApprovalDecision(denial: nil, by: .chat)
    add(.answeredApproval(question: 4, decision), at: 5, by: nil)
    add(.recorded(try Self.output("x"), nil), at: 6)
    add(.recorded(try Self.output("y"), nil), at: 6)
    add(.recorded(try Self.answer(), Self.usage(1, first: 0.5)), at: 8)
    add(.ended(.answered, revertingTo: nil), at: 8, by: nil)
  }

  @Test mutating func `shows a wait for a core as one`() throws {
    add(.began(ConversationStart(name: "talk", holder: "a")), at: 0, turn: nil)
    add(.prompted(try Self.prompt(), caps: "{}"), at: 0, by: nil)
    var usage = Self.usage(5, first: 1)
    usage.secondsWaited = 3
    add(.recorded(try Self.answer(), usage), at: 6)
    let bars = try #require(Waterfall(facts).turns.first?.rows.first?.bars)
    #expect(bars.map(\.kind) == [.wait, .prefill, .decode])
    #expect(bars.map(\.from.timeIntervalSince1970) == [0, 4, 5])
    #expect(bars.map(\.to.timeIntervalSince1970) == [4, 5, 6])
  }

  @Test mutating func `has a row for each request and call, with those of a friend below its call`()
    throws
  {
    try play()
    let turn = try #require(Waterfall(facts).turns.first)
    #expect(
      turn.rows.map { "\($0.depth) \($0.agent) \($0.label)" } == [
        "0 a request 1", "0 a tool-x", "0 a tool-y", "1 b request 1", "0 a request 2",
      ]
    )
    let spans = turn.rows.map { row in
      row.bars.map { bar in
        [bar.from, bar.to].map { $0.timeIntervalSince1970 }
      }
    }
    #expect(
      spans == [
        [[0, 1], [1, 2], [2, 3]], [[3, 5], [5, 6]], [[3, 6]], [[3, 4], [4, 4.5], [4.5, 5]],
        [[6, 7], [7, 7.5], [7.5, 8]],
      ]
    )
    #expect(turn.rows.map(\.bars[0].kind) == [.wait, .approval, .friend, .wait, .wait])
    #expect(turn.rows[0].cached == 7)
  }

  @Test mutating func `is drawn to scale, whatever the clock did`() throws {
    try play()
    let lines = Waterfall(facts).lines
    let axis = try #require(lines.first { $0.contains("a request 1") })
    #expect(axis.filter { $0 == "·" }.count == 7 && axis.contains("▒█"), "\(axis)")
    #expect(lines.contains { $0.contains("  b request 1") })
    for place in facts.indices where place > 4 {
      facts[place].at = Date(timeIntervalSince1970: -1e9 * Double(place % 3))
    }
    #expect(Waterfall(facts).lines.count == lines.count)
    #expect(Waterfall([]).lines == [])
  }
}
