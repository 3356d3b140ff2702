import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5))) struct QuotaTests {
  @Test func `What a turn may have journaled grows with its caps, and ends`() throws {
    var small = Caps()
    (small.rounds, small.calls, small.tokens) = (1, 1, 10)
    for caps in [Caps(), small] {
      var quota = Quota(Budget(caps))
      let limit = entries(of: quota)
      // Every request and every call leaves entries to spare, whatever the caps are.
      #expect(limit > 8 * caps.rounds + 2 * caps.calls + 200)
      try quota.count(entries: limit)
      #expect(throws: QuotaExceeded.entries(limit: limit)) { try quota.count(entries: 1) }
    }
    #expect(entries(of: Quota(Budget(Caps()))) > entries(of: Quota(Budget(small))))
    var largest = Caps()
    (largest.rounds, largest.calls, largest.tokens) = (Caps.maximum, Caps.maximum, Caps.maximum)
    #expect(entries(of: Quota(Budget(largest))) > Caps.maximum)
  }

  @Test func `The longest message fits into it once, and not again and again`() throws {
    var caps = Caps()
    (caps.rounds, caps.calls) = (1, 1)
    var quota = Quota(Budget(caps))
    try quota.count(bytes: EntryLimit.bytes)
    #expect(throws: QuotaExceeded.self) {
      for _ in 0..<4 { try quota.count(bytes: EntryLimit.bytes) }
    }
  }

  @Test func `A worker that has entries journaled without end ends with its turn, and is told why`()
    async throws
  {
    let caps = "rounds=1,calls=1,tokens=64"
    let limit = entries(of: Quota(Budget(try GivenCaps(caps).over(Caps()))))
    let table = try Table([
      "a": serving { turn in
        // Like an honest worker, records one entry at a time, so that no buffer is ever full.
        // Without a quota, nothing else would end this turn.
        for _ in 0..<2 * limit { try await turn.record(.response(.init(segments: []))) }
        return .answered
      }
    ])
    let summary = try await table.say("go on", caps: caps)
    guard case .failed(let problem) = summary.exit else {
      Issue.record("the turn ended with \(summary.exit)")
      return
    }
    #expect(problem.hasPrefix("The worker of 'a' died: it broke the protocol with more than"))
    #expect(problem.contains("\(limit) entries"))
    // There is no retry, because the turn has no quota left for one.
    #expect(table.workers.launched.count == 1)
    #expect(table.workers.launched[0].wasKilled)
    let reader = JournalReader(table.journal)
    try await eventually { try await reader.runs().first?.cause == "breach" }
    #expect(try await reader.entries(of: 1).count <= limit + 1)
    // The session continues.
    table.workers.play("a", answering("back"))
    #expect(try await table.say("and now?").answer == "back")
  }

  @Test func `An agent may rewrite a long history again and again, and not without end`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        let size = turn.order.added[0].words.contains("short") ? 10 : 1 << 14
        for time in 0..<20 {
          try await turn.write(history: { history in
            [history[0]]
              + (0..<300).map { _ in .response(String(repeating: "\(time)", count: size)) }
          })
        }
        return try await turn.answer("done")
      }
    ])
    #expect(try await table.say("short entries").answer == "done")
    let exit = try await table.say("long ones", caps: "rounds=1,calls=1").exit
    guard case .failed(let problem) = exit else {
      Issue.record("there was no end")
      return
    }
    #expect(problem.contains("MiB for the journal in one turn"))
  }

  @Test func `What is said of a turn that is over is heard a few times, and not for ever`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        for number in 0..<100 {
          try turn.worker.say(
            .request(
              id: number,
              turn: turn.id + 7,
              .record([RawEntry(.response("\(number)"))], nil)
            )
          )
        }
        try await turn.worker.hang()
      }
    ])
    let exit = try await table.say("go").exit
    #expect(exit == .failed("\(ConversationError.strayEntries(agent: "a"))"))
  }

  @Test func `A worker that writes on while no turn goes on is retired`() async throws {
    let table = try Table(["a": answering("hello")])
    try await table.say("go")
    let worker = try #require(table.workers.launched.first)
    for number in 0..<100 {
      let entry = try RawEntry(.response("\(number)"))
      try worker.say(.request(id: 1000 + number, turn: 1, .record([entry], nil)))
    }
    await eventually { worker.wasRetired }
    #expect(try await table.words() == ["prompt: go", "response: hello"])
  }

  @Test func `An entry that no message could bring to another worker is refused`() async throws {
    let text = String(repeating: "\u{1}", count: EntryLimit.bytes / 6)
    let table = try Table([
      "a": serving { turn in
        if turn.order.added.count == 1 { try await turn.record(.response(text)) }
        return try await turn.answer("done")
      }
    ])
    guard case .failed(let problem) = try await table.say("go").exit else {
      Issue.record("It was taken.")
      return
    }
    #expect(problem.contains("wrote an entry of"))
    let prompt = String(repeating: "\u{1}", count: 3 << 20)
    await #expect(throws: ConversationError.self) { try await table.say(prompt) }
  }

  @Test func `A call that was not admitted is no reason to phone`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1", "2"], "ask"))
        _ = try await turn.phone("b", "how?", callID: "2")
        return .answered
      },
      "b": answering("like this"),
    ])
    let exit = try await table.say("ask", caps: "calls=1").exit
    #expect(exit == .failed("\(ConversationError.strayCall("2", agent: "a"))"))
  }

  @Test func `An output or a pass for a call that was never made is not taken`() async throws {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"))
        if turn.order.added[0].words.contains("pass") {
          _ = try await turn.passBaton(to: "b", callID: "2")
        } else if turn.order.added[0].words.contains("tell") {
          try turn.tell(.output("2", "ask", "so"))
        } else {
          try await turn.record(.output("1", "ask", "so"))
          try await turn.record(.output("1", "ask", "so again"))
        }
        return .answered
      },
      "b": answering("like this"),
    ])
    let output = ConversationError.strayOutput("2", agent: "a")
    let again = ConversationError.strayOutput("1", agent: "a")
    #expect(try await table.say("tell").exit == .failed("\(output)"))
    #expect(try await table.say("again").exit == .failed("\(again)"))
    let pass = ConversationError.strayCall("2", agent: "a")
    #expect(try await table.say("pass").exit == .failed("\(pass)"))
    #expect(try await table.journaledHolder() == "a")
    #expect(try await table.words().isEmpty)
  }

  @Test(arguments: [true, false])
  func `Questions that are long and always new do not fill the memory`(isPass: Bool) async throws {
    let text = String(repeating: "?", count: 1 << 20)
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"))
        for number in 0..<1000 {
          let words = "\(number) \(text)"
          if isPass {
            _ = try await turn.passBaton(to: words, callID: "1")
          } else {
            _ = try await turn.phone("nobody", words, callID: "1")
          }
        }
        return .answered
      }
    ])
    guard case .failed(let problem) = try await table.say("go", caps: "rounds=1,calls=1").exit
    else {
      Issue.record("there was no end")
      return
    }
    #expect(problem.contains("MiB for the journal in one turn"))
  }

  @Test(arguments: [
    HostTool.approval, .phone(agent: "b", prompt: "how?"), .passBaton(to: "absent"),
  ])
  func `A question that is asked again and again is no way around it`(question: HostTool)
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.record(.call("1", "ask"))
        turn.worker.repeatSaying(
          .request(id: 7, turn: turn.id, .hostTool(callID: "1", question)),
          1000
        )
        try await turn.worker.hang()
      },
      "b": serving { try await $0.worker.hang() },
    ])
    let caps = "rounds=4,calls=2,tokens=100"
    let limit = entries(of: Quota(Budget(try GivenCaps(caps).over(Caps()))))
    #expect(limit < 1000)
    guard case .failed(let problem) = try await table.say("go", caps: caps, isAttended: true).exit
    else {
      Issue.record("there was no end")
      return
    }
    #expect(problem.contains("more than \(limit) entries for the journal in one turn"))
    #expect(table.workers.of("a").map(\.wasKilled) == [true])
    await table.sessions.close()
  }

  private func entries(of quota: Quota) -> Int {
    var quota = quota
    var count = 0
    while (try? quota.count(entries: 1 << 8)) != nil { count += 1 << 8 }
    while (try? quota.count(entries: 1)) != nil { count += 1 }
    return count
  }
}
