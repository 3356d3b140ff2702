import AgentKit
import Foundation

@testable import Journal
@testable import Telemetry

/// A log of facts as a test writes it, a tenth of a second apart.
struct FactLog {
  private(set) var facts: [Fact] = []
  /// Who does what follows.
  var (conversation, turn): (Int64, Int64?) = (1, nil)
  var (agent, run): (String?, String?)

  mutating func add(_ event: Fact.Event) {
    let id = Int64(facts.count + 1)
    facts.append(
      Fact(
        id: id,
        conversation: conversation,
        turn: turn,
        agent: agent,
        run: run,
        at: Date(timeIntervalSince1970: 1_800_000_000 + Double(id) / 10),
        event: event
      )
    )
  }

  /// Begins a session and its first turn.
  mutating func begin(
    _ session: String = "talk",
    prompt: String = "hello",
    options: TurnOptions? = nil
  ) throws {
    add(.began(ConversationStart(name: session, holder: "brainstorm")))
    try ask(prompt, options: options)
  }

  /// Begins a turn in the conversation.
  mutating func ask(_ prompt: String, turn: Int64 = 1, options: TurnOptions? = nil) throws {
    (agent, run) = (nil, nil)
    self.turn = turn
    let entry = Transcript.Entry.prompt(
      .init(id: "prompt-\(turn)", segments: [.text(.init(content: prompt))])
    )
    add(.prompted(try RawEntry(entry), caps: #"{"rounds":16,"policy":"answer"}"#, options: options))
  }

  mutating func launch(
    _ agent: String,
    _ run: String,
    pid: Int32,
    role: RunRecord.Role = .baton,
    model: String? = "pocket.gguf"
  ) {
    let turn = turn
    (self.agent, self.run, self.turn) = (agent, run, nil)
    add(
      .launched(
        RunStart(
          role: role,
          pid: pid,
          launcher: "local",
          model: model,
          log: "",
          started: Date()
        )
      )
    )
    self.turn = turn
  }

  /// A round's calls, after a request.
  mutating func call(_ calls: (id: String, tool: String)..., usage: RequestUsage = .request) throws
  {
    let calls = calls.map {
      Transcript.ToolCall(
        id: $0.id,
        toolName: $0.tool,
        arguments: GeneratedContent(properties: ["topic": "rain"])
      )
    }
    add(.recorded(try RawEntry(.toolCalls(.init(calls))), usage))
  }

  mutating func output(_ id: String, _ text: String = "so", usage: RequestUsage? = nil) throws {
    let output = Transcript.ToolOutput(
      id: id,
      toolName: "tool",
      segments: [.text(.init(content: text))]
    )
    add(.recorded(try RawEntry(.toolOutput(output)), usage))
  }

  mutating func respond(_ text: String = "done", usage: RequestUsage? = .request) throws {
    let response = Transcript.Response(segments: [.text(.init(content: text))])
    add(.recorded(try RawEntry(.response(response)), usage))
  }

  /// A friend's whole turn: conversation 2, turn 2.
  mutating func phone(_ friend: String, call: String) throws {
    let caller = self
    (conversation, turn, agent, run) = (2, nil, nil, nil)
    add(.began(ConversationStart(name: nil, holder: friend, parent: .init(turn: 1, callID: call))))
    try ask("a title?", turn: 2)
    (conversation, turn, agent, run) = (caller.conversation, caller.turn, caller.agent, caller.run)
    add(.phoned(FriendCall(conversation: 2, callID: call, friend: friend, prompt: "a title?")))
    (conversation, turn) = (2, 2)
    launch(friend, "friend-1", pid: 200, role: .friend)
    try respond("Rain")
    add(.ended(.answered, revertingTo: nil))
    (conversation, turn, agent, run) = (caller.conversation, caller.turn, caller.agent, caller.run)
    add(
      .friendEnded(
        FriendEnd(conversation: 2, answer: .answered("Rain"), usage: .request, budget: "{}")
      )
    )
  }

  /// The README's turn: the first agent phones a friend, then passes the baton.
  static func readme() throws -> FactLog {
    var log = FactLog()
    try log.begin()
    log.launch("brainstorm", "brainstorm-1", pid: 100)
    try log.call(("c1", "generate_title"))
    try log.phone("title", call: "c1")
    try log.output("c1")
    try log.call(("c2", "pass_baton"))
    log.add(.passedBaton(BatonPass(from: "brainstorm", to: "tutorial", callID: "c2")))
    try log.output("c2")
    log.launch("tutorial", "tutorial-1", pid: 300)
    try log.call(("c3", "query_origami_database"))
    try log.output("c3")
    try log.respond()
    (log.agent, log.run) = (nil, nil)
    log.add(.ended(.answered, revertingTo: nil))
    return log
  }

  /// The spans of the log, in the order in which they end.
  func spans(_ settings: SpanSettings = SpanSettings()) -> [Span] {
    var maker = SpanMaker(settings)
    return facts.flatMap { maker.apply($0) }
  }
}

extension RequestUsage {
  static let request = RequestUsage(
    tokensIn: 100,
    tokensCached: 60,
    tokensOut: 7,
    secondsToFirstToken: 0.02,
    seconds: 0.05
  )
}

extension [Span] {
  /// The names as a tree, in the order of their starts.
  var tree: [String] {
    let roots = filter { span in !contains { $0.id == span.parent } }
    return branches(roots, depth: 0)
  }

  private func branches(_ spans: [Span], depth: Int) -> [String] {
    spans.sorted { $0.start < $1.start }.flatMap { span in
      [String(repeating: "  ", count: depth) + span.name]
        + branches(filter { $0.parent == span.id }, depth: depth + 1)
    }
  }

  func named(_ name: String) -> [Span] { filter { $0.name == name } }
}
