import AgentKit
import Journal
import Synchronization
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct FriendTests {
  private let asking: Script = serving { try await $0.answerWithFriend("title", "a paper boat") }

  @Test func `A friend gets only the question, and its answer comes back`() async throws {
    let table = try Table(["a": asking, "title": answering("The Boat")])
    let watched = Watched()
    let summary = try await table.say("the secret is Rumpelstiltskin", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.answer == "The Boat")
    let friend = try #require(table.workers.of("title").first)
    #expect(friend.orders.map { $0.added.map(\.words) } == [["prompt: a paper boat"]])
    #expect(!friend.heard.contains { String(describing: $0).contains("Rumpelstiltskin") })
    let asker = try #require(table.workers.of("a").first)
    #expect(asker.heard.contains { String(describing: $0).contains("Rumpelstiltskin") })
    let told = watched.all.compactMap { event -> String? in
      switch event {
      case .friendPhoned(let agent, let pid, _): "phoned \(agent) \(pid)"
      case .friendGone(let agent, let pid, _, let tokens, _): "gone \(agent) \(pid) \(tokens)"
      default: nil
      }
    }
    #expect(told == ["phoned title \(friend.pid)", "gone title \(friend.pid) 5"])
  }

  @Test func `A friend's conversation stands under the call, and its worker is gone`()
    async throws
  {
    let table = try Table(["a": asking, "title": answering("The Boat")])
    let summary = try await table.say("go")
    let friends = try await table.friends()
    #expect(friends.map(\.holder) == ["title"])
    #expect(friends.map(\.parent?.turn) == [summary.turn])
    #expect(friends.map(\.parent?.callID) == ["call-\(summary.turn)"])
    let reader = JournalReader(table.journal)
    let entries = try await reader.entries(of: try #require(friends.first).id)
    #expect(entries.map(\.raw.words) == ["prompt: a paper boat", "response: The Boat"])
    #expect(try await table.words().contains("response: The Boat"))
    let run = try #require(try await reader.runs().first { $0.agent == "title" })
    #expect(run.role == .friend)
    #expect(run.outcome == "it ended")
    #expect(run.tokensOut == 3)
    #expect(table.workers.of("title").map(\.wasRetired) == [true])
    #expect(table.workers.of("a").map(\.hasEnded) == [false])
  }

  @Test func `A call that asks one friend after the other gets each one's own answer`()
    async throws
  {
    let echo = serving { try await $0.answer($0.order.added.map(\.words).joined()) }
    let answers = Mutex<[String?]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"))
        for (friend, prompt) in [("b", "one"), ("c", "one"), ("b", "two")] {
          let answer = try await turn.phone(friend, prompt, callID: "1")
          answers.withLock { $0.append(answer.text) }
        }
        return try await turn.answer("done")
      },
      "b": echo,
      "c": answering("I am c."),
    ])
    try await table.say("go")
    #expect(answers.withLock { $0 } == ["prompt: one", "I am c.", "prompt: two"])
    #expect(table.workers.of("b").count == 2)
  }

  @Test(arguments: [
    (
      serving { _ in .failed(problem: "no idea", keepsEntries: false) } as Script,
      "failed: no idea"
    ),
    (
      { $0.end(.signaled(11), lastLines: ["GGML_ASSERT"]) } as Script,
      "failed: The worker of 'title' died: it was killed by signal 11."
        + " Its last log line: GGML_ASSERT."
    ),
  ])
  func `A friend that cannot answer is information for the model`(
    script: @escaping Script,
    answer: String
  ) async throws {
    let table = try Table(["a": asking, "title": script])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(summary.exit == .answered)
    #expect(summary.answer == answer)
    // Every friend shown as phoned is also shown as gone.
    #expect(watched.all.contains { if case .friendGone = $0 { true } else { false } })
  }

  @Test func `What friends have used is counted once, above them, also when they died`()
    async throws
  {
    let heard = Mutex<[FriendAnswer]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1", "2"], "ask"), tokens: 2)
        for (id, friend) in [("1", "b"), ("2", "dying")] {
          let answer = try await turn.phone(friend, "why?", callID: id)
          heard.withLock { $0.append(answer) }
        }
        return try await turn.answer("done", tokens: 3)
      },
      "b": serving { try await $0.answerWithFriend("c", "why?") },
      "c": answering("because"),
      "dying": serving { turn in
        try await turn.admission()
        try await turn.record(.call("3", "look"), tokens: 20)
        turn.worker.end(.signaled(9))
        throw WorkerGone()
      },
    ])
    let summary = try await table.say("go")
    // Tokens: c wrote 3; b wrote 2 and 3; the dying friend wrote 20; a wrote 2 and 3.
    #expect(heard.withLock { $0.map(\.output.totalTokenCount) } == [8, 20])
    #expect(heard.withLock { $0.map(\.input.totalTokenCount) } == [6, 2])
    #expect(heard.withLock { $0.map(\.text) } == ["because", nil])
    #expect(summary.usage.tokensOut == 3 + 5 + 20 + 5)
    #expect(summary.usage.tokensIn == 6 + 2 + 4)
    let workers = await table.sessions.workers()
    #expect(workers.map(\.tokensOut) == [33])
    #expect(workers.map(\.tokensIn) == [12])
    // The journal records each worker's own tokens.
    let runs = try await JournalReader(table.journal).runs()
    #expect(runs.map(\.tokensOut).sorted() == [3, 5, 5, 20])
  }

  @Test func `A tool that phones a friend whose worker always dies is stopped by a cap`()
    async throws
  {
    let exits = Mutex<[TurnExit]>([])
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"))
        // Nothing but a cap ends this loop.
        while true {
          let exit = try await turn.phone("title", "a boat", callID: "1").exit
          exits.withLock { $0.append(exit) }
          if case .cap = exit { break }
        }
        return try await turn.answer("done")
      },
      "title": answering("never"),
    ])
    table.workers.play("title") { $0.end(.signaled(11)) }
    let summary = try await table.say("go", caps: "rounds=5")
    // Of five rounds, two were the caller's own.
    #expect(table.workers.of("title").count == 3)
    #expect(exits.withLock { $0.count } == 4)
    #expect(exits.withLock { $0.last } == .cap("rounds"))
    #expect(summary.exit == .answered)
    #expect(summary.answer == "done")
  }

  @Test func `A friend that does not exist is information for the model`() async throws {
    let table = try Table(["a": asking])
    let summary = try await table.say("go")
    #expect(summary.answer == "failed: There is no longer an agent named 'title'.")
  }

  @Test func `A friend cannot pass the baton`() async throws {
    let table = try Table([
      "a": asking,
      "title": serving { try await $0.pass(to: "b", callID: "1") },
      "b": answering("never"),
    ])
    let summary = try await table.say("go")
    #expect(summary.holder == "a")
    #expect(summary.answer == "I keep it.")
    #expect(table.workers.of("b").isEmpty)
    let refusals = table.workers.of("title").first?.refusals
    #expect(refusals == ["A friend cannot pass the baton."])
  }

  @Test func `Friends phone friends so deep, and no deeper`() async throws {
    let table = try Table(["a": serving { try await $0.answerWithFriend("a", "again") }])
    let summary = try await table.say("go", caps: "depth=2,rounds=64")
    #expect(summary.answer == "cap on depth")
    #expect(table.workers.launched.count == 3)
    #expect(try await table.friends().count == 2)
    #expect(table.workers.launched.map(\.wasRetired) == [false, true, true])
  }

  @Test func `So many friends at a time, and no more`() async throws {
    let answers = Mutex<[FriendAnswer]>([])
    let hold = Signal()
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.calls(["1", "2"], "ask"))
        let both = try await withThrowingTaskGroup(of: FriendAnswer.self) { group in
          for id in ["1", "2"] {
            group.addTask { try await turn.phone("friend", id, callID: id) }
          }
          // One call returns at once, while the other is still on the phone.
          let first = try await group.next()
          hold.fire()
          return try await [first, group.next()].compactMap { $0 }
        }
        answers.withLock { $0 = both }
        return try await turn.answer("done")
      },
      "friend": serving { turn in
        await hold.wait()
        return try await turn.answer("hello")
      },
    ])
    try await table.say("go", caps: "fanout=1")
    #expect(answers.withLock { $0.map(\.exit) } == [.cap("fanout"), .answered])
    #expect(answers.withLock { $0.map(\.text) } == [nil, "hello"])
  }

  @Test func `A worker that phones for a call that is not open is given up, and no friend comes`()
    async throws
  {
    let table = try Table([
      "a": serving { turn in
        try await turn.admission()
        try await turn.record(.call("1", "ask"))
        try await turn.record(.output("1", "ask", "done"))
        _ = try await turn.phone("friend", "again", callID: "1")
        return try await turn.answer("never")
      },
      "friend": answering("never"),
    ])
    let summary = try await table.say("go")
    #expect(summary.exit == .failed("\(ConversationError.strayCall("1", agent: "a"))"))
    #expect(table.workers.of("friend").isEmpty)
    #expect(try await table.friends().isEmpty)
  }
}
