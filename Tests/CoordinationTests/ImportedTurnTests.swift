import AgentKit
import Foundation
import GRDB
import Synchronization
import Testing
import Wire

@testable import Coordination
@testable import Journal

/// A session is taken from a file in which its last turn had no end.
@Suite(.timeLimit(.minutes(5)))
struct `An imported turn` {
  /// A coordinator elsewhere that stops while a call that was approved there has no output.
  private func approvedElsewhere() async throws -> Restart {
    let restart = try Restart { turn in
      try await turn.record(.call("1", "risk"))
      #expect(try await turn.approval(of: "1") == .approved)
    }
    let desk = restart.before.sessions.approvals
    try await restart.fall(isAttended: true) { event in
      guard case .approvalAsked(let record) = event else { return }
      Task { try await desk.answer(record.id, denial: nil, by: .chat) }
    }
    return restart
  }

  /// A coordinator whose journal has taken the session of another.
  private func table(_ script: @escaping Script, importing restart: Restart) async throws -> Table {
    let table = try Table(["a": script])
    let path = table.folder.appending(path: "talk.jsonl").path
    try await JournalReader(restart.before.journal).export("talk", to: path)
    let content = try Data(contentsOf: URL(filePath: path))
    try await table.journal.importSession(content, from: path)
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
    return table
  }

  /// Asks to make the call again, and answers with what it was told.
  private static let asking = serving { turn in
    let answer = try await turn.approval(of: "1")
    return try await turn.answer("\(answer)")
  }

  @Test func `does not go on by itself, but with the next prompt of its session`() async throws {
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let table = try await table(answering("hello"), importing: restart)
    let told = Mutex<[String]>([])
    try await table.sessions.resumeInterrupted { name, event in
      guard case .trouble(let words) = event else {
        Issue.record("\(event)")
        return
      }
      told.withLock { $0.append("\(name): \(words)") }
    }
    #expect(told.withLock { $0 } == ["talk: \(Sessions.waitingForPrompt)"])
    #expect(table.workers.launched.isEmpty)
    let talk = try await table.talk
    #expect(await talk.isInterrupted)
    #expect(await talk.waitsForPrompt)

    let watched = Watched()
    #expect(try await table.say("next", watch: watched.note).answer == "hello")
    #expect(watched.all.contains { if case .resumed = $0 { true } else { false } })
    #expect(
      try await table.words() == [
        "prompt: go", "response: hello", "prompt: next", "response: hello",
      ]
    )
    #expect(await !talk.waitsForPrompt)
  }

  @Test(arguments: [Approval.approved, .denied("no")])
  func `has a person here decide on a call, although another has approved it`(
    decision: Approval
  ) async throws {
    let table = try await table(Self.asking, importing: approvedElsewhere())
    let desk = table.sessions.approvals
    let watched = Watched()
    let summary = try await table.talk.resume(isAttended: true) { event in
      watched.note(event)
      guard case .approvalAsked(let record) = event else { return }
      let denial: String? = if case .denied(let reason) = decision { reason } else { nil }
      Task { try await desk.answer(record.id, denial: denial, by: .chat) }
    }
    #expect(summary?.answer == "\(decision)")
    #expect(watched.all.count { if case .approvalAsked = $0 { true } else { false } } == 1)
    let order = try #require(table.workers.launched.first?.orders.first)
    // A tool that must not run twice is not run at all: it may have run elsewhere.
    #expect(order.openCalls == ["1": .perhapsRun])
    #expect(try await JournalReader(table.journal).inspect().flaws == [])
  }

  @Test func `makes no call that needs approval where no person is there to ask`() async throws {
    let table = try await table(Self.asking, importing: approvedElsewhere())
    let answer = try await table.talk.resume { _ in }?.answer
    #expect(answer == "\(Approval.denied("No one is available to approve it."))")
  }

  @Test func `may have made a call that was approved after it was asked about in vain`()
    async throws
  {
    let restart = try await approvedElsewhere()
    // Another question about it, which has no reply.
    try await restart.before.journal.database.write { db in
      try db.execute(
        sql: """
          INSERT INTO fact (conversation, turn, agent, run, at, kind, payload)
          SELECT conversation, turn, agent, run, at, kind, payload FROM fact
          WHERE kind = 'askedApproval'
          """
      )
    }
    let table = try await table(answering("done"), importing: restart)
    _ = try await table.talk.resume { _ in }
    let order = try #require(table.workers.launched.first?.orders.first)
    #expect(order.openCalls == ["1": .perhapsRun])
  }

  @Test func `is left to another prompt again when its coordinator ends during it`() async throws {
    let reached = Signal()
    let restart = try Restart { try await $0.admission() }
    try await restart.fall()
    let script = Restart.until(reached) { try await $0.admission() }
    let table = try await table(script, importing: restart)
    // Nothing waits for this coordinator, because its process would be gone.
    Task { try await table.say("next") }
    await reached.wait()
    let next = try Table(["a": answering("hello")], after: table)
    try await next.sessions.resumeInterrupted { _, _ in }
    #expect(next.workers.launched.isEmpty)
    #expect(try await next.talk.resume { _ in }?.answer == "hello")
  }
}
