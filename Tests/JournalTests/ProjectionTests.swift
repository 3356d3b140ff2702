import AgentKit
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Journal

/// Conversations, turns and runs are what the log says of them.
@Suite(.timeLimit(.minutes(5))) struct `The projections of a log` {
  /// Appends random facts, of several sessions at once, and of their friends.
  private struct RandomLog {
    let journal: Journal
    var random: Seeded
    /// Open turns with their conversations.
    var turns: [(conversation: Int64, turn: Int64)] = []
    var runs: [(id: String, conversation: Int64)] = []
    var questions: [(turn: Int64, id: Int64)] = []

    mutating func step(_ number: Int) async throws {
      let begins = turns.isEmpty || Int.random(in: 0..<12, using: &random) == 0
      if begins {
        let name = "s\(Int.random(in: 0..<4, using: &random))"
        let conversation = try await journal.conversation(named: name, holder: "a").id
        turns.append((conversation, try await journal.beginTurn("\(number)", in: conversation)))
        return
      }
      let (conversation, turn) = turns[Int.random(in: turns.indices, using: &random)]
      let run = runs.filter { $0.conversation == conversation }.randomElement(using: &random)
      if Int.random(in: 0..<10, using: &random) == 0 {
        turns.append(
          try await journal.phone("f", call: "c\(number)", of: conversation, turn: turn)
        )
        return
      }
      let event = try event(number, in: conversation, turn: turn)
      let agent = run == nil && event.kind != .launched ? nil : "a"
      let id = event.kind == .launched ? "r\(number)" : run?.id
      let facts = try await journal.append(
        [event],
        in: conversation,
        turn: turn,
        agent: agent,
        run: id
      )
      switch event {
      case .launched: runs.append(("r\(number)", conversation))
      case .askedApproval: questions.append((turn, facts[0].id))
      case .ended: turns.removeAll { $0.turn == turn }
      default: break
      }
    }

    private mutating func event(
      _ number: Int,
      in conversation: Int64,
      turn: Int64
    ) throws -> Fact.Event {
      let usage: RequestUsage? = Bool.random(using: &random) ? .some : nil
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1, 2: return .recorded(try RawEntry(.response("\(number)")), usage)
      case 3: return .changedState(StateChange(properties: ["p": "\(number)"], usage: usage))
      case 4: return .passedBaton(BatonPass(from: "a", to: "b\(number)", callID: nil))
      case 5: return .resumed(spent: Double(number))
      case 6: return .leftOpen
      case 7: return .imported
      case 8:
        return .launched(
          RunStart(role: .baton, pid: 1, launcher: "l", model: nil, log: "", started: Date())
        )
      case 9: return .exited(RunEnd(outcome: "\(number)", cause: usage == nil ? nil : "lost"))
      case 10: return .abandonedRequest(tokens: number)
      case 11: return .ended(.answered, revertingTo: usage == nil ? nil : "a")
      case 12:
        guard let question = questions.last(where: { $0.turn == turn }) else { return .leftOpen }
        let decision = ApprovalDecision(denial: nil, by: .chat)
        return .answeredApproval(question: question.id, decision)
      default: return .askedApproval(ApprovalQuestion(callID: "c", tool: "t", arguments: "{}"))
      }
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `rebuilt from a random log equal those stored`(seed: UInt64) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    var log = RandomLog(journal: journal, random: Seeded(seed))
    for number in 0..<150 { try await log.step(number) }
    let reader = JournalReader(journal)
    let inspection = try await reader.inspect()
    #expect(inspection.flaws == [])
    #expect(inspection.turns > 3)
    // A session that is moved, and then moved back, is the same, and removing it leaves no trace.
    let name = try #require(try await reader.conversations().first?.name)
    let content = try await reader.export(name).content
    try await journal.importSession(content, from: "f", as: "copy")
    #expect(try await reader.inspect().flaws == [])
    let facts = try await reader.facts(after: 0, limit: .max)
    let removed = try await journal.remove(name)
    #expect(try await reader.facts(after: 0, limit: .max).count == facts.count - removed.rows)
    #expect(try await reader.inspect().flaws == [])
  }

  @Test(arguments: [
    ("UPDATE conversation SET holder = 'z' WHERE id = 1", "conversation 1"),
    ("UPDATE conversation SET created = created + 1 WHERE id = 2", "conversation 2"),
    ("UPDATE turn SET exit = NULL WHERE id = 1", "turn 1"),
    ("UPDATE turn SET ended = ended + 1 WHERE id = 1", "turn 1"),
    ("UPDATE turn SET isReverted = 1 WHERE id = 2", "turn 2"),
    ("UPDATE turn SET resumptions = 7 WHERE id = 1", "turn 1"),
    ("UPDATE turn SET isImported = 1 WHERE id = 1", "turn 1"),
    ("UPDATE turn SET caps = '[]' WHERE id = 1", "turn 1"),
    ("UPDATE run SET tokensOut = tokensOut + 1", "run one-1"),
    ("UPDATE run SET ended = NULL", "run one-1"),
    ("UPDATE run SET log = '/etc/passwd'", "run one-1"),
    ("DELETE FROM run", "run one-1"),
  ])
  func `are compared in every column`(change: String, place: String) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    try await journal.close(after: change)
    let flaws = try await file.reader().inspect().flaws
    #expect(flaws.map(\.place) == [place])
    #expect(flaws.map(\.session) == ["one"])
  }
}
