import AgentKit
import Foundation
import Journal
import TestSupport
import Testing

@testable import Telemetry

@Suite(.timeLimit(.minutes(2)))
final class JournalFeedTests: Sendable {
  private let folder: String
  private let journal: Journal
  private let reader: JournalReader

  init() throws {
    folder = try temporaryFolder()
    journal = try Journal(path: folder + "/journal.sqlite")
    reader = JournalReader(journal)
  }

  deinit {
    try? journal.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func prompt(_ text: String) throws -> RawEntry {
    try RawEntry(.prompt(.init(segments: [.text(.init(content: text))])))
  }

  /// A request that took no time: here facts are made one right after another.
  private static var usage: RequestUsage {
    var usage = RequestUsage.request
    usage.seconds = 0
    return usage
  }

  private func response() throws -> Fact.Event {
    .recorded(
      try RawEntry(.response(.init(segments: [.text(.init(content: "done"))]))),
      Self.usage
    )
  }

  private func calls(_ id: String) throws -> Fact.Event {
    let call = Transcript.ToolCall(
      id: id,
      toolName: "ask",
      arguments: GeneratedContent(properties: [:])
    )
    return .recorded(try RawEntry(.toolCalls(.init([call]))), Self.usage)
  }

  /// Adds a turn with an answer.
  private func ask(_ session: String) async throws {
    let talk = try await journal.conversation(named: session, holder: "a").id
    let turn = try await journal.beginTurn(in: talk, prompt: prompt("x"), caps: "{}").turn.id
    try await journal.append([response()], in: talk, turn: turn, agent: "a", run: "r")
    try await journal.append([.ended(.answered, revertingTo: nil)], in: talk, turn: turn)
  }

  /// Reads all facts of a feed.
  private func spans(_ feed: FactFeed) async throws -> [Span] {
    var (feed, spans): (FactFeed, [Span]) = (feed, [])
    while true {
      let next = try await feed.next()
      if next.facts.isEmpty { return spans }
      spans += next.spans
    }
  }

  @Test func `What was open when it began is exported like what was watched from the start`()
    async throws
  {
    let talk = try await journal.conversation(named: "talk", holder: "a")
    let turn = try await journal.beginTurn(in: talk.id, prompt: prompt("one"), caps: "{}").turn
    let start = RunStart(
      role: .baton,
      pid: 5,
      launcher: "local",
      model: "m.gguf",
      log: "",
      started: Date()
    )
    try await journal.append([.launched(start)], in: talk.id, agent: "a", run: "a-1")
    try await journal.append([calls("c")], in: talk.id, turn: turn.id, agent: "a", run: "a-1")
    let friend = try await journal.beginFriend(
      ("c", "title", "a title?"),
      prompt: prompt("a title?"),
      caps: "{}",
      of: talk.id,
      turn: turn.id,
      agent: "a",
      run: "a-1"
    )
    let served = ServerCall(
      callID: "c",
      server: "git",
      tool: "log",
      request: .init(id: 7, version: "2025-11-25")
    )
    try await journal.append(
      [.calledServer(served)],
      in: talk.id,
      turn: turn.id,
      agent: "a",
      run: "a-1"
    )
    // From here on it is followed, with a turn and a friend under way.
    let place = try await reader.lastPlace()
    let settings = SpanSettings()
    let feed = try await FactFeed(following: reader, settings, after: place)
    let (conversation, question) = (friend.conversation.id, friend.turn.id)
    try await journal.append(
      [response()],
      in: conversation,
      turn: question,
      agent: "title",
      run: "t"
    )
    try await journal.append(
      [.ended(.answered, revertingTo: nil)],
      in: conversation,
      turn: question
    )
    let output = Transcript.ToolOutput(id: "c", toolName: "ask", segments: [])
    try await journal.append(
      [.recorded(try RawEntry(.toolOutput(output)), nil), response()],
      in: talk.id,
      turn: turn.id,
      agent: "a",
      run: "a-1"
    )
    try await journal.append([.ended(.answered, revertingTo: nil)], in: talk.id, turn: turn.id)
    let followed = try await spans(feed)
    let whole = try await spans(FactFeed(SessionFacts(reader, session: "talk"), settings))
    #expect(followed.tree == whole.filter { $0.id != whole[0].id }.tree)
    for feed in [followed, whole] {
      let call = try #require(feed.named("execute_tool ask title").first)
      #expect(call["orchestrator.mcp.server"] == .string("git"))
      #expect(call["mcp.protocol.version"] == .string("2025-11-25"))
      #expect(call["jsonrpc.request.id"] == .string("7"))
    }
    #expect(Set(followed.map(\.id)).isSubset(of: whole.map(\.id)))
    #expect(
      whole.tree == [
        "invoke_workflow a", "  invoke_agent a", "    chat m.gguf", "    execute_tool ask title",
        "      invoke_agent title", "        chat", "    chat m.gguf",
      ]
    )
    // A later turn of a conversation that is not followed yet.
    let later = try await FactFeed(following: reader, settings, after: reader.lastPlace())
    let next = try await journal.beginTurn(in: talk.id, prompt: prompt("two"), caps: "{}").turn
    try await journal.append([.ended(.cancelled, revertingTo: nil)], in: talk.id, turn: next.id)
    #expect(try await spans(later).map { $0["gen_ai.conversation.id"] } == [.string("talk")])
  }

  @Test func `A session that is removed at its end is reported all the same`() async throws {
    let metrics = TurnMetrics { [reader] _ in
      try await FactFeed(following: reader, SpanSettings(), after: 0)
    }
    journal.beforeRemovals { await metrics.catchUp(within: .seconds(30)) }
    try await TestReceiver.run({ socket, _ in try await TestReceiver.answer(socket, "200 OK") }) {
      receiver in
      var quiet = try receiver.settings()
      // Nothing is read by the clock while the test runs.
      quiet.interval = .seconds(3600)
      let settings = quiet
      let exporter = SpanExporter(settings) { _ in }
      journal.beforeRemovals { await exporter.catchUp(within: .seconds(30)) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [reader] in
          await exporter.run { _ in
            try await FactFeed(following: reader, settings.spans, after: 0)
          }
        }
        try await eventually("it follows the journal") { exporter.isFollowing }
        try await ask("short")
        _ = try await journal.remove("short")
        try await eventually("the spans are received") { receiver.bytes > 0 }
        group.cancelAll()
      }
    }
    let text = try await metrics.values(within: .seconds(30)).text
    #expect(text.contains(#"orchestrator_turns_total{agent="a",exit="answered"} 1"#))
  }

  @Test func `What was copied is reported no second time, and what follows is`() async throws {
    // Copies fill more than what is read at once.
    for _ in 0..<(FactFeed.pageSize / 3) { try await ask("talk") }
    let exported = try await reader.export("talk").content
    let (opened, end) = (Date(), try await reader.lastPlace())
    try await journal.fork("talk", as: "fork")
    try await journal.importSession(exported, from: "talk.jsonl", as: "copy")
    let feeds = [
      try await FactFeed(following: reader, SpanSettings(), after: end, since: opened),
      try await FactFeed(following: reader, SpanSettings(), after: nil),
    ]
    for feed in feeds {
      var feed = feed
      let next = try await feed.next()
      #expect(next.facts.isEmpty && next.spans.isEmpty)
    }
    for session in ["fork", "copy"] { try await ask(session) }
    for feed in feeds {
      let turns = try await spans(feed).filter { $0["orchestrator.exit"] != nil }
      #expect(turns.map { $0["gen_ai.conversation.id"] } == [.string("fork"), .string("copy")])
    }
    let metrics = TurnMetrics { _ in feeds[0] }
    let text = try await metrics.values(within: .seconds(30)).text
    #expect(text.contains(#"orchestrator_turns_total{agent="a",exit="answered"} 2"#))
  }

  @Test func `Metrics count what was journaled since they were opened, once`() async throws {
    let metrics = TurnMetrics { [reader] _ in
      try await FactFeed(following: reader, SpanSettings(), after: 0)
    }
    let talk = try await journal.conversation(named: "talk", holder: "a")
    for count in 1...2 {
      try await ask("talk")
      for _ in 0..<2 {
        let text = try await metrics.values(within: .seconds(30)).text
        #expect(text.contains(#"orchestrator_turns_total{agent="a",exit="answered"} \#(count)"#))
      }
    }
    let start = RunStart(
      role: .friend,
      pid: 5,
      launcher: "local",
      model: nil,
      log: "",
      started: Date()
    )
    try await journal.append([.launched(start)], in: talk.id, agent: "a", run: "r")
    let exit = RunEnd(outcome: "killed", cause: "signal")
    try await journal.append([.exited(exit)], in: talk.id, agent: "a", run: "r")
    let text = try await metrics.values(within: .seconds(30)).text
    #expect(text.contains(#"orchestrator_worker_deaths_total{role="friend",cause="signal"} 1"#))
  }
}
