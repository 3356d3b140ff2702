import AgentKit
import Foundation
import Testing

@testable import Journal

/// A journal that contains numbers too large to calculate with.
@Suite(.timeLimit(.minutes(5))) struct `A value that no fact can have` {
  private static let most = "\(Int.max)"

  /// The change, the kind of the fact that it damages and the problem that is reported.
  private static let changes: [(String, String, String)] = [
    (
      replace("tokensOut\":11", "tokensOut\":\(most)", in: "usage"), "recorded",
      "tokens out: \(most)"
    ),
    (replace("tokensOut\":11", "tokensOut\":-1", in: "usage"), "recorded", "tokens out: -1"),
    (replace("seconds\":0.5", "seconds\":1e300", in: "usage"), "recorded", "seconds: 1e+300"),
    (replace("\"from\":1", "\"from\":\(most)"), "changedState", "place: \(most)"),
    (
      replace("\"tokensBefore\":900", "\"tokensBefore\":\(most)"), "changedState",
      "tokens before: \(most)"
    ),
    (replace("\"tokensOut\":11", "\"tokensOut\":-1"), "died", "tokens out: -1"),
    (replace("\"tokensLost\":2", "\"tokensLost\":\(most)"), "died", "tokens lost: \(most)"),
    (replace("\"tokensIn\":40", "\"tokensIn\":\(most)"), "friendEnded", "tokens in: \(most)"),
    (replace("\"tokens\":3", "\"tokens\":-3"), "abandonedRequest", "tokens: -3"),
    (replace("\"spent\":2", "\"spent\":-2"), "resumed", "seconds: -2.0"),
    ("at = 1e300", "passedBaton", "date: 1e+300"),
    ("kind = 'secret'", "leftOpen", "it is of an unknown kind, 'secret'"),
    ("caps = NULL", "prompted", "it has no caps"),
  ]

  private static func replace(_ old: String, _ new: String, in column: String = "payload") -> String
  {
    "\(column) = replace(\(column), '\(old)', '\(new)')"
  }

  @Test(arguments: changes)
  func `is a flaw with its place, and an error when it is read`(
    change: String,
    kind: String,
    problem: String
  ) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let conversation = try await journal.playEverything("one")
    let facts = try await JournalReader(journal).facts(of: conversation)
    let last = try #require(facts.last { $0.event.kind.rawValue == kind })
    let candidates = facts.filter { $0.event.kind.rawValue == kind }.map(\.id)
    try await journal.close(after: "UPDATE fact SET \(change) WHERE id IN (\(list(candidates)))")
    let reader = try file.reader()
    let flaws = try await reader.inspect().flaws
    let flaw = try #require(flaws.first { $0.problem == "it cannot be read: \(problem)" })
    #expect(flaw.session == "one")
    #expect(flaw.place.hasPrefix("fact "))
    // One that is read for its kind, or with the whole conversation.
    let error = await #expect(throws: JournalError.self) {
      try await reader.facts(of: conversation)
    }
    #expect(error == .unreadable(path: file.path, reason: "\(flaw.place): \(problem)"))
    #expect(candidates.contains(last.id))
  }

  private func list(_ ids: [Int64]) -> String { ids.map(String.init).joined(separator: ",") }

  @Test(arguments: [
    ("run", "tokensOut = \(most)", "tokens out: \(most)"),
    ("run", "seconds = 1e300", "seconds: 1e+300"),
    ("run", "contextSize = -1", "window: -1"),
    ("turn", "resumptions = \(most)", "resumptions: \(most)"),
    ("turn", "spent = -1", "seconds: -1.0"),
    ("turn", "started = 1e300", "date: 1e+300"),
  ])
  func `is refused in a projection as well`(
    table: String,
    change: String,
    problem: String
  ) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, _) = try await journal.play("one")
    try await journal.close(after: "UPDATE \(table) SET \(change)")
    let reader = try file.reader()
    #expect(try await !reader.inspect().flaws.isEmpty)
    await #expect(throws: JournalError.unreadable(path: file.path, reason: problem)) {
      _ = try await reader.turns(of: conversation)
      _ = try await reader.runs()
    }
  }

  @Test func `is no sum of values that facts have`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.beginRun("a-1", in: conversation)
    let most = RequestUsage(
      tokensIn: ValueLimits.count,
      tokensCached: ValueLimits.count,
      tokensOut: ValueLimits.count,
      secondsToFirstToken: 1,
      seconds: ValueLimits.seconds
    )
    let entry = try RawEntry(.response("lies"))
    let lies = (0..<2000).map { _ in Fact.Event.recorded(entry, most) }
    let death = WorkerDeath(
      cause: "it lied",
      lastLines: [],
      tokensOut: .max,
      partialText: nil,
      tokensLost: .max
    )
    var sum = most
    (sum.tokensIn, sum.tokensOut, sum.seconds) = (.max, .max, 2 * most.seconds)
    let claimed = LanguageModelSession.Usage(
      input: .init(totalTokenCount: .max, cachedTokenCount: .max),
      output: .init(totalTokenCount: .max, reasoningTokenCount: .max)
    )
    let end = FriendEnd(
      conversation: conversation,
      answer: FriendAnswer("lies", exit: .answered, usage: claimed),
      usage: sum,
      budget: "{}"
    )
    try await journal.append(
      lies + [.died(death), .friendEnded(end)],
      in: conversation,
      turn: turn,
      agent: "a",
      run: "a-1"
    )
    let run = try #require(try await file.reader().runs(of: conversation).first)
    #expect(run.tokensIn == ValueLimits.sum && run.seconds == ValueLimits.seconds)
    #expect(try await file.reader().deaths(of: conversation).count == 1)
    #expect(try await file.reader().inspect().flaws == [])
  }
}
