import AgentKit
import Journal
import Testing
import Wire

@testable import Coordination

/// What the coordinator learns about contexts and remembers.
@Suite(.timeLimit(.minutes(5)))
struct ContextTests {
  private static let report = ContextReport(
    exchanges: 3,
    cutOutputs: 1,
    tokensBefore: 900,
    tokensAfter: 400,
    window: 1024,
    isSummarized: true,
    isShared: true
  )

  @Test func `A consolidation is journaled with its figures, shown, and paid for`() async throws {
    var figures = RequestUsage()
    figures.tokensIn = 800
    figures.tokensOut = 40
    let summaryFigures = figures
    let table = try Table([
      "a": serving { turn in
        try await turn.write(
          history: { _ in [.prompt("in short")] },
          context: Self.report,
          usage: summaryFigures
        )
        return try await turn.answer("ok")
      }
    ])
    let watched = Watched()
    let summary = try await table.say("go", watch: watched.note)
    #expect(watched.all.contains(.context(agent: "a", Self.report)))
    #expect(summary.usage.tokensOut == 43)
    let reader = JournalReader(table.journal)
    let changes = try await reader.stateChanges(of: 1).map(\.change)
    #expect(changes.compactMap(\.context) == [Self.report])
    #expect(changes.compactMap(\.usage?.tokensOut) == [40])
    #expect(try await reader.history(of: 1).map(\.words) == ["prompt: in short", "response: ok"])
    #expect(try await reader.runs().first?.tokensOut == 43)
    #expect(
      Self.report.description
        == "3 exchanges summarized, 1 tool output cut: 900 tokens became 400, the window holds 1024"
    )
  }

  @Test func `An agent is told the widest window of the others, also after a restart`()
    async throws
  {
    let scripts: KeyValuePairs<String, Script> = [
      "a": serving { turn in
        try await turn.admission()
        if turn.worker.entries.last?.words == "prompt: to b" {
          try await turn.record(.call("1", "pass_baton"), tokens: 1, window: 8192)
          _ = try await turn.passBaton(to: "b", callID: "1")
          try await turn.record(.output("1", "pass_baton", "b"))
          return .passed
        }
        try await turn.record(.response("a"), tokens: 1, window: 8192)
        return .answered
      },
      "b": serving { turn in
        try await turn.admission()
        try await turn.record(.response("b"), tokens: 1, window: 512)
        return .answered
      },
    ]
    let table = try Table(scripts)
    try await table.say("one")
    try await table.say("to b")
    let (giver, receiver) = (table.workers.of("a").first, table.workers.of("b").first)
    #expect(giver?.orders.map(\.widestWindow) == [nil, nil])
    #expect(receiver?.orders.map(\.widestWindow) == [8192])
    let workers = await table.sessions.workers()
    #expect(workers.map(\.contextSize) == [8192, 512])
    #expect(workers.map(\.contextTokens) == [3, 3])
    let next = try Table(scripts, after: table)
    try await next.say("two")
    #expect(next.workers.of("b").first?.orders.map(\.widestWindow) == [8192])
  }

  @Test func `A summary is admitted only when enough is left for the answer`() throws {
    var caps = Caps()
    caps.rounds = 3
    var budget = Budget(caps)
    #expect(budget.admissionOfSummary == .admitted(.go(maximumTokens: 4096)))
    #expect(budget.rounds == 3)
    budget.spendOnSummary(tokens: 0)
    _ = budget.admitRound()
    #expect(budget.admissionOfSummary == .refused(cap: "rounds"))
    // A refused summary does not end the turn.
    #expect(budget.reached == nil)
    #expect(budget.admitRound() == .admitted(.go(maximumTokens: 8192)))
    caps.tokens = 512
    let poor = Budget(caps)
    #expect(poor.admissionOfSummary == .refused(cap: "tokens"))
  }
}
