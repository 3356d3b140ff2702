import AgentKit
import Foundation
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

/// Calls that wait for a person's approval.
@Suite(.timeLimit(.minutes(5)))
struct ApprovalTests {
  /// Makes one call that needs approval and reports the outcome.
  private static let asking: Script = serving { turn in
    try await turn.admission()
    try await turn.record(.call("call-\(turn.id)", "delete"))
    let approval = try await turn.approval(of: "call-\(turn.id)")
    try await turn.record(.output("call-\(turn.id)", "delete", "\(approval)"))
    return try await turn.answer("\(approval)")
  }

  @Test func `A call waits until it is approved, and its worker is shown to wait`()
    async throws
  {
    let table = try Table(["a": Self.asking])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let request = try #require(await desk.pending.first)
    #expect(request.tool == "delete")
    #expect(request.agent == "a")
    #expect(request.arguments == "{}")
    #expect(await table.sessions.workers().map(\.state) == [.asking])
    // The request is already on disk, where another process can see it.
    let reader = try #require(try JournalReader(path: table.path))
    #expect(try await reader.approval(request.id)?.answer == nil)
    try await desk.answer(request.id, denial: nil, by: .control)
    #expect(try await summary.answer == "approved")
    #expect(try await reader.approval(request.id)?.answer?.by == .control)
    #expect(await desk.pending.isEmpty)
  }

  @Test func `The worker hears of an approval only when it is on disk`() async throws {
    let heard = Mutex<[Bool]>([])
    let path = Mutex("")
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "delete"))
        _ = try await turn.approval(of: "1")
        let reader = try #require(try JournalReader(path: path.withLock { $0 }))
        let record = try await reader.approvals(of: Int64(turn.id)).first
        heard.withLock { $0.append(record?.answer != nil) }
        return try await turn.answer("done")
      }
    ])
    path.withLock { $0 = table.path }
    async let summary = table.say("go", isAttended: true)
    let desk = table.sessions.approvals
    await eventually { await !desk.pending.isEmpty }
    try await desk.answer(try #require(await desk.pending.first).id, denial: nil, by: .chat)
    #expect(try await summary.answer == "done")
    #expect(heard.withLock { $0 } == [true])
  }

  @Test func `An approval that cannot be written is none, and its giver hears of it`()
    async throws
  {
    let table = try Table(["a": Self.asking])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let id = try #require(await desk.pending.first).id
    try await table.breakJournal("answeredApproval")
    await #expect(throws: (any Error).self) { try await desk.answer(id, denial: nil, by: .chat) }
    guard case .failed = try await summary.exit else {
      Issue.record("The turn went on without the approval.")
      return
    }
    let worker = try #require(table.workers.launched.first)
    #expect(!worker.heard.contains { if case .reply(_, .approval) = $0 { true } else { false } })
  }

  @Test func `A denial comes to the model with its reason`() async throws {
    let table = try Table(["a": Self.asking])
    let watched = Watched()
    async let summary = table.say("go", isAttended: true, watch: watched.note)
    let desk = table.sessions.approvals
    await eventually { await !desk.pending.isEmpty }
    let id = try #require(await desk.pending.first).id
    try await desk.answer(id, denial: "It is mine.", by: .chat)
    #expect(try await summary.answer == #"denied("It is mine.")"#)
    let shown = watched.all.compactMap { event -> String? in
      switch event {
      case .approvalAsked(let record): "asked \(record.id)"
      case .approvalAnswered(let record): "\(record.id): \(record.answer?.denial ?? "yes")"
      default: nil
      }
    }
    #expect(shown == ["asked \(id)", "\(id): It is mine."])
  }

  @Test func `Where no person is present, the call is denied at once`() async throws {
    let table = try Table(["a": Self.asking])
    let summary = try await table.say("go")
    #expect(summary.answer == #"denied("No one is available to approve it.")"#)
    let record = try #require(
      try await JournalReader(table.journal).approvals(of: summary.turn).first
    )
    #expect(record.answer?.by == .coordinator)
  }

  @Test func `A person who does not answer is waited for so long, and no longer`() async throws {
    let table = try Table(["a": Self.asking])
    let summary = try await table.say("go", caps: "approval=1", isAttended: true)
    #expect(summary.answer == #"denied("No one answered within 1 s.")"#)
    #expect(await table.sessions.approvals.pending.isEmpty)
  }

  @Test func `A turn that is stopped asks no more`() async throws {
    let table = try Table(["a": Self.asking])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let id = try #require(await desk.pending.first).id
    await (try table.talk).cancel()
    #expect(try await summary.exit == .cancelled)
    await eventually { await desk.pending.isEmpty }
    let record = try await JournalReader(table.journal).approval(id)
    try await eventually {
      try await JournalReader(table.journal).approval(id)?.answer != nil
    }
    #expect(record?.tool == "delete")
    // A late answer is rejected with what has already been decided.
    let late = await #expect(throws: ApprovalError.self) {
      try await desk.answer(id, denial: nil, by: .control)
    }
    #expect(
      late?.description
        == "Request \(id), for delete, was already answered; the call was denied: The turn"
        + " ended before it was answered."
    )
  }

  @Test func `Each request is answered once, by the first answer`() async throws {
    let table = try Table(["a": Self.asking])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let id = try #require(await desk.pending.first).id
    let answers = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          let denial = number.isMultiple(of: 2) ? nil : "no"
          return (try? await desk.answer(id, denial: denial, by: .control)) != nil
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0 } == 1)
    #expect(try await summary.answer != nil)
    await #expect(throws: ApprovalError(id: 99, known: nil)) {
      try await desk.answer(99, denial: nil, by: .control)
    }
  }

  @Test func `Several calls of a round wait at the same time`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1", "2"], "delete"))
        async let first = turn.approval(of: "1")
        async let second = turn.approval(of: "2")
        return try await turn.answer("\(try await [first, second])")
      }
    ])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await desk.pending.count == 2 }
    for request in await desk.pending.reversed() {
      try await desk.answer(request.id, denial: request.callID == "1" ? nil : "no", by: .chat)
    }
    let approvals: [Approval] = [.approved, .denied("no")]
    #expect(try await summary.answer == "\(approvals)")
  }

  @Test func `A friend asks the person who talks to its caller`() async throws {
    let table = try Table([
      "a": serving { try await $0.answerWithFriend("helper", "help") },
      "helper": Self.asking,
    ])
    let desk = table.sessions.approvals
    let watched = Watched()
    async let summary = table.say("go", isAttended: true, watch: watched.note)
    await eventually { await !desk.pending.isEmpty }
    let request = try #require(await desk.pending.first)
    #expect(request.agent == "helper")
    // The question is pending before it is shown.
    await eventually { watched.all.contains(.approvalAsked(request)) }
    try await desk.answer(request.id, denial: nil, by: .chat)
    #expect(try await summary.answer == "approved")
  }

  @Test func `A question about a call that was not made ends the worker`() async throws {
    let table = try Table([
      "a": serving { turn in
        _ = try await turn.approval(of: "made up")
        return .answered
      }
    ])
    let exit = try await table.say("go", isAttended: true).exit
    #expect(exit == .failed("\(ConversationError.strayCall("made up", agent: "a"))"))
  }

  @Test func `A question about a call of an earlier turn, or one that a cap refused, is not asked`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        switch turn.order.added.last?.words {
        case "prompt: look":
          try await turn.record(.call("1", "look"))
          try await turn.record(.output("1", "look", "nothing"))
          return try await turn.answer("nothing")
        case "prompt: again": _ = try await turn.approval(of: "1")
        default:
          try await turn.record(.calls(["2", "3"], "look"))
          _ = try await turn.approval(of: "3")
        }
        return .answered
      }
    ])
    let watched = Watched()
    #expect(try await table.say("look").answer == "nothing")
    for (prompt, call) in [("again", "1"), ("both", "3")] {
      let exit = try await table.say(
        prompt,
        caps: "calls=1,approval=1",
        isAttended: true,
        watch: watched.note
      ).exit
      #expect(exit == .failed("\(ConversationError.strayCall(call, agent: "a"))"))
    }
    #expect(!watched.all.contains { if case .approvalAsked = $0 { true } else { false } })
  }

  @Test func `A person is asked about an open call also after a hook has forgotten it`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "delete"), tokens: 1)
        try await turn.write { Array($0.prefix(1)) }
        let approval = try await turn.approval(of: "1")
        try await turn.record(.output("1", "delete", "\(approval)"))
        return try await turn.answer("\(approval)")
      }
    ])
    let desk = table.sessions.approvals
    async let summary = table.say("go", isAttended: true)
    await eventually { await !desk.pending.isEmpty }
    let request = try #require(await desk.pending.first)
    #expect(request.tool == "delete")
    #expect(request.arguments == "{}")
    try await desk.answer(request.id, denial: nil, by: .control)
    #expect(try await summary.answer == "approved")
  }
}
