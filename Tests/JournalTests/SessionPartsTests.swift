import AgentKit
import Foundation
import GRDB
import Testing

@testable import Journal

/// A session file contains everything that the journal can hold of a session.
struct SessionPartsTests {
  @Test func `A moved session has all that it had, in every column of every table`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    try await from.open().playEverything("whole")
    // The other journal has rows of its own, so that every row number changes.
    let target = try to.open()
    try await target.playEverything("local")
    let path = from.folder.appending(path: "whole.jsonl").path
    try await from.reader().export("whole", to: path)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let rows = lines.dropFirst().dropLast().compactMap {
      try? JSONDecoder().decode(SessionFile.Row.self, from: Data($0.utf8))
    }
    // Any table or column added to the journal but not played is reported here.
    let tables = try await from.reader().read { try JournalTable.all($0) }
    for table in tables where table.conversation != nil {
      let values = rows.filter { $0.table == table.name }.flatMap(\.row).filter {
        $0.value != .null
      }
      #expect(Set(values.map(\.key)) == Set(table.columns), "\(table.name)")
    }

    try await target.importSession(from: path)
    let again = to.folder.appending(path: "again.jsonl").path
    try await to.reader().export("whole", to: again)
    let copied = try String(contentsOfFile: again, encoding: .utf8).split(separator: "\n")
    // The turn that had not ended is marked, the paths of logs that stayed behind are gone, and
    // nothing else differs but the checksum.
    let marked = lines.map { (line: Substring) -> Substring in
      if line.contains(#""table":"run""#) {
        return line.replacing(/"log":"[^"]+"/, with: #""log":"""#)
      }
      return line.contains(#""table":"turn""#) && line.contains(#""exit":null"#)
        ? line.replacing(#""isImported":0"#, with: #""isImported":1"#) : line
    }
    #expect(marked != lines)
    #expect(copied.dropLast() == marked.dropLast())
  }

  @Test func `A moved session is read as it was where it came from`() async throws {
    let (from, to) = (try JournalFile(), try JournalFile())
    try await from.open().playEverything("whole")
    let path = from.folder.appending(path: "whole.jsonl").path
    try await from.reader().export("whole", to: path)
    let target = try to.open()
    try await target.play("local")
    try await target.importSession(from: path)

    let (was, has) = (try await Parts(from.reader()), try await Parts(to.reader()))
    #expect(has == was)
    #expect(was.exits == [.cap("rounds"), nil])
    #expect(was.resumptions == [0, 2])
    #expect(was.caps == ["{\"rounds\":1}", "{\"rounds\":2}"])
    #expect(was.deaths.map(\.cause) == ["it was killed by signal 9"])
    #expect(was.deaths.first?.partialText == "It had beg")
    #expect(was.outcomes == ["finished", nil])
    #expect(was.tokensOut == [44, 11])
    #expect(was.windows == ["a": 8192])
    #expect(was.questions == [1, 2])
    #expect(was.contexts.first?.request?.tokensOut == 11)
    #expect(was.usages.map(\.request.tokensOut) == [11])
    // The turn that was interrupted in one journal can be resumed in the other.
    #expect(has.openTurns == 1)
  }

  /// A session as a coordinator and a person read it, without row numbers.
  private struct Parts: Equatable {
    var exits: [TurnExit?] = []
    var caps: [String?] = []
    var resumptions: [Int] = []
    var deaths: [DeathRecord] = []
    var contexts: [ContextRecord] = []
    var usages: [UsageRecord] = []
    var outcomes: [String?] = []
    var tokensOut: [Int] = []
    var windows: [String: Int] = [:]
    var entries: [EntryRecord] = []
    var approvals: [ApprovalRecord.Answer?] = []
    /// The entries after which people were asked.
    var questions: [Int64?] = []
    var openTurns = 0

    init(_ reader: JournalReader) async throws {
      let session = try #require(try await reader.conversation(named: "whole")).id
      let turns = try await reader.turns(of: session)
      (exits, caps) = (turns.map(\.exit), turns.map(\.caps))
      resumptions = turns.map(\.resumptions)
      openTurns = turns.count { $0.exit == nil }
      let first = try #require(try await reader.entries(of: session).first).id
      let offset = try #require(turns.first).id
      deaths = try await reader.deaths(of: session).map { death in
        var death = death
        death.turn -= offset
        death.afterEntry -= first
        return death
      }
      contexts = try await reader.contexts(of: session).map { context in
        var context = context
        context.turn -= offset
        context.afterEntry -= first
        return context
      }
      let runs = try await reader.runs(of: session)
      (outcomes, tokensOut) = (runs.map(\.outcome), runs.map(\.tokensOut))
      windows = try await reader.windows(of: session)
      entries = try await reader.entries(of: session).map { entry in
        var entry = entry
        (entry.id, entry.conversation, entry.turn) = (entry.id - first, 0, entry.turn - offset)
        return entry
      }
      for turn in turns {
        usages += try await reader.usages(of: turn.id).map { usage in
          var usage = usage
          usage.turn -= offset
          usage.afterEntry -= first
          return usage
        }
        let asked = try await reader.approvals(of: turn.id)
        approvals += asked.map(\.answer)
        questions += asked.map { $0.afterEntry.map { $0 - first } }
      }
    }
  }
}

extension Journal {
  /// Plays a session that fills every column.
  ///
  /// It consists of what `play` does, a reverted turn that reached a cap, and a turn in which a
  /// worker and two coordinators ended.
  fileprivate func playEverything(_ name: String) async throws {
    let request = RequestRecord(
      tokensIn: 40,
      tokensCached: 4,
      tokensOut: 11,
      secondsToFirstToken: 0.25,
      seconds: 0.5,
      cacheBreak: "the tools changed",
      contextSize: 8192
    )
    let conversation = try await conversation(named: name, holder: "a").id
    let (capped, _) = try await beginTurn(
      in: conversation,
      prompt: .prompt("one"),
      caps: "{\"rounds\":1}"
    )
    var run = RunRecord("\(name)-a", conversation: conversation, at: 1000)
    run.model = "pocket.gguf"
    try await beginRun(run)
    for id in ["\(name)-1", "\(name)-2"] {
      try await append(
        .calls(id),
        conversation: conversation,
        turn: capped.id,
        agent: "a",
        run: run.id,
        request: request
      )
      let asked = try await beginApproval(
        conversation: conversation,
        turn: capped.id,
        agent: "a",
        callID: id,
        tool: "pass_baton",
        arguments: "{}"
      )
      _ = try await endApproval(asked.id, denial: "not now", by: .chat)
      try await keepEarly(
        EntryPayload(.output(id)),
        conversation: conversation,
        turn: capped.id,
        agent: "a"
      )
    }
    let (_, asked) = try await beginFriend(
      "title",
      prompt: .prompt("a title?"),
      turn: capped.id,
      callID: "\(name)-1"
    )
    try await endTurn(asked.id, exit: .answered, revertingTo: nil)
    try await passBaton(in: conversation, turn: capped.id, from: "a", to: "b", callID: "\(name)-2")
    let history = try await JournalReader(self).history(of: conversation)
    try await keepState(
      properties: ["mood": "\"good\""],
      edit: HistoryEdit(from: history, to: Array(history.dropLast())),
      context: ContextReport(
        exchanges: 1,
        cutOutputs: 0,
        tokensBefore: 900,
        tokensAfter: 400,
        window: 1024,
        isSummarized: true,
        isShared: false
      ),
      conversation: conversation,
      turn: capped.id,
      agent: "a",
      request: (request, run.id)
    )
    try await keepState(
      properties: [:],
      edit: nil,
      conversation: conversation,
      turn: capped.id,
      agent: "a",
      request: (request, run.id)
    )
    try await endTurn(capped.id, exit: .cap("rounds"), revertingTo: "a")
    try await endRun(run.id, outcome: "finished", cause: "unable")

    let (open, _) = try await beginTurn(
      in: conversation,
      prompt: .prompt("two"),
      caps: "{\"rounds\":2}"
    )
    let other = RunRecord("\(name)-b", conversation: conversation, at: 2000)
    try await beginRun(other)
    try await append(
      .response("so far"),
      conversation: conversation,
      turn: open.id,
      agent: "a",
      run: other.id,
      request: request
    )
    try await noteDeath(
      of: other.id,
      agent: "a",
      conversation: conversation,
      turn: open.id,
      cause: "it was killed by signal 9",
      lastLines: ["one", "two"],
      tokensOut: 11,
      partialText: "It had beg"
    )
    for _ in 0..<2 { try await noteResumption(of: open.id, spent: 0) }
  }
}
