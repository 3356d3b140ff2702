import AgentKit
import Foundation
import Testing

@testable import Journal

/// A journal that contains numbers too large to calculate with.
@Suite(.timeLimit(.minutes(5))) struct `What is read from a journal and cannot be` {
  private static let most = "\(Int.max)"

  /// The change, the place it damages and the flaw that is reported.
  private static let changes: [(String, String, String)] = [
    (request(tokensOut: most), "entry 7", "tokens out: \(most)"),
    (request(tokensOut: "-1"), "entry 7", "tokens out: -1"),
    (request(seconds: "1e300"), "entry 7", "seconds: 1e+300"),
    (edit(#""from":1"#, #""from":\#(most)"#), "historyEdit 1", "place: \(most)"),
    (edit(#""count":3"#, #""count":9"#), "historyEdit 1", "9 entries kept of 4"),
    ("UPDATE run SET tokensOut = \(most)", "run one-1", "tokens out: \(most)"),
    ("UPDATE run SET seconds = 1e300", "run one-1", "seconds: 1e+300"),
    ("UPDATE run SET contextSize = -1", "run one-1", "window: -1"),
    ("UPDATE turn SET resumptions = \(most) WHERE id = 1", "turn 1", "resumptions: \(most)"),
    ("UPDATE baton SET at = 1e300", "baton 1", "date: 1e+300"),
    (
      """
      INSERT INTO context (conversation, turn, agent, at, afterEntry, payload) VALUES (
        1, 1, 'a', 1, 7, '{"cutOutputs":0,"exchanges":1,"isShared":false,"isSummarized":false,'
          || '"tokensAfter":1,"tokensBefore":\(most),"window":1}'
      )
      """, "context 1", "tokens before: \(most)"
    ),
    (
      """
      INSERT INTO death
        (run, agent, conversation, turn, at, afterEntry, cause, lastLines, tokensOut)
      VALUES ('one-1', 'a', 1, 1, 1, 7, 'it broke', '[]', -1)
      """, "death 1", "tokens out: -1"
    ),
  ]

  @Test(arguments: changes)
  func `is a flaw with its place, and an error for whoever reads it`(
    change: String,
    place: String,
    problem: String
  ) async throws {
    let file = try JournalFile()
    let journal = try file.open()
    try await journal.play("one")
    try await journal.close(after: change)
    let reader = try file.reader()
    let flaws = try await reader.inspect().flaws.map(\.description)
    #expect(flaws == ["\(place): it cannot be read: \(problem) (session 'one')"])
    await #expect(throws: JournalError.unreadable(path: file.path, reason: problem)) {
      try await Self.readAll(reader)
    }
  }

  @Test func `is no sum of what is plausible`() async throws {
    let file = try JournalFile()
    let journal = try file.open()
    let (conversation, turn) = try await journal.beginTalk()
    try await journal.beginRun(RunRecord("a-1", conversation: conversation, at: 1))
    let most = RequestRecord(
      tokensIn: Plausible.maximumCount,
      tokensCached: Plausible.maximumCount,
      tokensOut: Plausible.maximumCount,
      secondsToFirstToken: 1,
      seconds: Plausible.maximumSeconds,
      cacheBreak: nil,
      contextSize: nil
    )
    let payloads = try (0..<2000).map { _ in try EntryPayload(.response("lies"), most) }
    try await journal.append(
      payloads,
      conversation: conversation,
      turn: turn,
      agent: "a",
      run: "a-1"
    )
    try await journal.noteDeath(
      of: "a-1",
      agent: "a",
      conversation: conversation,
      turn: turn,
      cause: "it lied",
      lastLines: [],
      tokensOut: .max,
      partialText: nil
    )
    let run = try #require(try await file.reader().runs(of: conversation).first)
    #expect(run.tokensIn == Plausible.maximumSum && run.seconds == Plausible.maximumSeconds)
    #expect(try await file.reader().deaths(of: conversation).count == 1)
    #expect(try await file.reader().inspect().flaws == [])
  }

  @Test func `is nothing of what was written`() async throws {
    let file = try JournalFile()
    try await file.open().play("one")
    try await Self.readAll(file.reader())
  }

  /// Reads everything that is read when a session is opened or shown.
  private static func readAll(_ reader: JournalReader) async throws {
    for turn in try await reader.turns(of: 1) {
      _ = try await reader.batons(of: turn.id)
      _ = try await reader.approvals(of: turn.id)
      _ = try await reader.usages(of: turn.id)
    }
    _ = try await reader.entries(of: 1)
    _ = try await reader.history(of: 1)
    _ = try await reader.contexts(of: 1)
    _ = try await reader.deaths(of: 1)
    _ = try await reader.windows(of: 1)
    _ = try await reader.runs(of: 1)
  }

  private static func request(tokensOut: String = "1", seconds: String = "1") -> String {
    """
    UPDATE entry SET request = '{"seconds":\(seconds),"secondsToFirstToken":1,"tokensCached":0,'
      || '"tokensIn":1,"tokensOut":\(tokensOut)}' WHERE id = 7
    """
  }

  private static func edit(_ old: String, _ new: String) -> String {
    "UPDATE historyEdit SET payload = replace(payload, '\(old)', '\(new)')"
  }
}
