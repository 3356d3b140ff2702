import Foundation
import Synchronization
import Transcripts
import Wire

@testable import Coordination
@testable import Coordinator
@testable import Journal

/// A service with sessions in memory, whose turns say what a test has written for them.
final class FakeSessions: CoordinatorService {
  /// What a turn says and how it ends.
  struct Script: Sendable {
    var events: [TurnEvent] = []
    /// What an earlier turn says before this one is accepted.
    var earlier: [TurnEvent] = []
    var exit = TurnExit.answered
    var answer: String?
    var usage = RequestUsage(tokensIn: 10, tokensCached: 4, tokensOut: 3)
    /// The calls for which the turn waits.
    var clientCalls: [Transcript.ToolCall]?
    /// Whether the prompt is refused after it has waited.
    var isRefused = false
    /// Whether the turn has no end.
    var isEndless = false
  }

  struct Kept: Sendable {
    var session: String
    var turn: TranscriptTree.Turn
    var exit: TurnExit?
  }

  private struct State {
    var prompts: [PromptRequest] = []
    var forks: [ForkRequest] = []
    var deleted: [String] = []
    var cancelled: [String] = []
    var abandoned: [String] = []
    var submitted: [ClientToolOutputs] = []
    var endless: [AsyncThrowingStream<TurnEvent, any Error>.Continuation] = []
    var turns: [Kept] = []
    var last: Int64 = 0
    var joined = 0
    var waiting: [ClientCallRecord] = []
  }

  private let state = Mutex(State())
  private let script: @Sendable (PromptRequest) throws -> Script
  /// Yields the session when a prompt comes, and when the events of a turn are no longer read.
  let (arrivals, arrived) = AsyncStream<String>.makeStream()
  let (abandonments, abandoned) = AsyncStream<String>.makeStream()

  init(_ script: @escaping @Sendable (PromptRequest) throws -> Script) { self.script = script }

  /// Makes a service whose turns repeat the prompt.
  convenience init() { self.init { Script(answer: "You said \($0.prompt)") } }

  var prompts: [PromptRequest] { state.withLock { $0.prompts } }
  var forks: [ForkRequest] { state.withLock { $0.forks } }
  var deleted: [String] { state.withLock { $0.deleted } }
  var cancelled: [String] { state.withLock { $0.cancelled } }
  var submitted: [ClientToolOutputs] { state.withLock { $0.submitted } }
  /// How many requests were sent again, and joined their turn.
  var joined: Int { state.withLock { $0.joined } }
  var abandonedSessions: [String] { state.withLock { $0.abandoned } }

  /// Ends the events of all turns that have no end.
  func breakOff() {
    for stream in state.withLock({ $0.endless }) { stream.finish() }
  }

  func prompt(_ request: PromptRequest) throws -> EventStream<TurnEvent> {
    let script = try script(request)
    if let known = try known(request, script) { return known }
    let turn = state.withLock { state in
      state.prompts.append(request)
      state.last += 1
      state.waiting += (script.clientCalls ?? []).map { call in
        ClientCallRecord(
          session: request.session,
          turn: state.last,
          agent: "coach",
          callID: call.id,
          tool: call.toolName,
          arguments: call.arguments.jsonString,
          asked: Date(timeIntervalSince1970: 100)
        )
      }
      state.turns.append(
        Kept(
          session: request.session,
          turn: Self.turn(state.last, request.prompt, script),
          exit: script.isEndless || script.clientCalls != nil ? nil : script.exit
        )
      )
      return state.last
    }
    var events = script.earlier
    if script.isRefused { return EventStream(of: events, failure: ConversationError.closed) }
    events.append(.accepted(turn: turn, conversation: request.session))
    events += script.events
    if let answer = script.answer { events.append(.answered(agent: "clerk", text: answer)) }
    if let calls = script.clientCalls {
      events.append(.clientCalls(calls))
    } else if !script.isEndless {
      events.append(Self.end(turn, script))
    }
    let (stream, continuation) = AsyncThrowingStream<TurnEvent, any Error>.makeStream()
    for event in events { continuation.yield(event) }
    if !script.isEndless { continuation.finish() }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.abandoned.append(request.session) }
      self?.abandoned.yield(request.session)
    }
    if script.isEndless { state.withLock { $0.endless.append(continuation) } }
    arrived.yield(request.session)
    return EventStream(stream)
  }

  /// Joins the turn of a request that is sent again, as the coordinator does.
  private func known(
    _ request: PromptRequest,
    _ script: Script
  ) throws -> EventStream<TurnEvent>? {
    try state.withLock { state in
      guard let place = state.prompts.firstIndex(where: { $0.id == request.id }) else { return nil }
      let first = state.prompts[place]
      guard (first.session, first.prompt) == (request.session, request.prompt),
        first.options == request.options
      else { throw EventRequests.conflict(request.id ?? "") }
      let (stream, continuation) = AsyncThrowingStream<TurnEvent, any Error>.makeStream()
      for event in script.earlier { continuation.yield(event) }
      continuation.yield(.accepted(turn: Int64(place + 1), conversation: request.session))
      state.joined += 1
      if script.isEndless { state.endless.append(continuation) } else { continuation.finish() }
      return EventStream(stream)
    }
  }

  private static func end(_ turn: Int64, _ script: Script) -> TurnEvent {
    .ended(
      TurnSummary(
        turn: turn,
        exit: script.exit,
        holder: "clerk",
        answer: script.answer,
        usage: script.usage,
        seconds: 1
      )
    )
  }

  private static func turn(_ turn: Int64, _ prompt: String, _ script: Script)
    -> TranscriptTree.Turn
  {
    let text = { (text: String) in [Transcript.Segment.text(.init(content: text))] }
    var entries = [TranscriptTree.Entry(.prompt(.init(segments: text(prompt))), agent: nil)]
    if let answer = script.answer {
      entries.append(.init(.response(.init(segments: text(answer))), request: script.usage))
    }
    return TranscriptTree.Turn(turn, entries, total: TokenTotal(script.usage))
  }

  func latestTurn(of session: String) throws -> Int64? {
    state.withLock { $0.turns.last { $0.session == session && $0.exit != .cancelled }?.turn.turn }
  }

  func turn(_ turn: Int64) throws -> TurnReport {
    try state.withLock { state in
      guard let kept = state.turns.first(where: { $0.turn.turn == turn }) else {
        throw ServiceError(.notFound, "There is no turn \(turn).")
      }
      return TurnReport(
        session: kept.session,
        turn: kept.turn,
        exit: kept.exit,
        holder: "clerk",
        isLatest: state.turns.last { $0.session == kept.session }?.turn.turn == turn
      )
    }
  }

  func facts(of session: String, after place: Int64) throws -> [FactRow] {
    throw ServiceError(.notFound, "There are no facts.")
  }

  func transcript(of session: String?) throws -> TranscriptTree {
    struct Tree: Encodable {
      var name: String?
      var agent = "clerk"
      var pids: [Int32] = []
      var hosts: [String] = []
      var imported: [Transcript.Entry] = []
      var turns: [TranscriptTree.Turn]
    }
    let turns = state.withLock { $0.turns.filter { $0.session == session }.map(\.turn) }
    guard !turns.isEmpty else { throw CoordinatorError.noSuchSession(session ?? "-") }
    return try ServiceJSON.decode(ServiceJSON.encode(Tree(name: session, turns: turns)))
  }

  func fork(_ request: ForkRequest) throws -> SessionStatus {
    state.withLock { state in
      state.forks.append(request)
      for kept in state.turns where kept.session == request.session {
        guard kept.turn.turn <= request.turn ?? .max else { continue }
        var copy = kept
        copy.session = request.name
        state.turns.append(copy)
      }
    }
    return SessionStatus(
      session: request.name,
      holder: "clerk",
      isInterrupted: false,
      waitsForPrompt: false,
      notes: []
    )
  }

  func delete(session: String) throws {
    state.withLock { state in
      state.deleted.append(session)
      state.turns.removeAll { $0.session == session }
    }
  }

  func cancel(session: String) throws { state.withLock { $0.cancelled.append(session) } }

  func hosts() -> [HostReport] { [] }
  func change(_: HostChange) {}
  func agents() throws -> [AgentSummary] {
    [
      AgentSummary(name: "clerk", description: "It files.", contextSize: 4096, isBeginner: true),
      AgentSummary(name: "coach", description: "It helps.", takesClientTools: true),
    ]
  }

  func submit(_ outputs: ClientToolOutputs) throws -> EventStream<TurnEvent> {
    let turn = state.withLock { state in
      state.submitted.append(outputs)
      let turn = outputs.turn ?? state.waiting.first { $0.session == outputs.session }?.turn ?? 1
      state.waiting.removeAll { $0.turn == turn }
      return turn
    }
    let answer = "It is " + outputs.outputs.map(\.text).joined()
    return EventStream(of: [
      .clientAnswered(turn: turn, calls: outputs.outputs.map(\.callID)),
      .answered(agent: "clerk", text: answer), Self.end(turn, Script(answer: answer)),
    ])
  }

  func status() throws -> CoordinatorStatus { try StubService().status() }
  func metrics() throws -> String { try StubService().metrics() }
  func processes() throws -> ProcessTree {
    var tree = try StubService().processes()
    tree.clientCalls = state.withLock { $0.waiting }
    return tree
  }
  func resume(_ request: SessionRequest) throws -> EventStream<TurnEvent> {
    try StubService().resume(request)
  }
  func open(_ request: SessionRequest) throws -> SessionStatus { try StubService().open(request) }
  func sessions() throws -> [SessionSummary] { try StubService().sessions() }
  func runs() throws -> [RunSummary] { [] }
  func renderedPrompt(of run: String) throws -> RenderedPrompt? {
    try StubService().renderedPrompt(of: run)
  }
  func log(of process: String, following: Bool) throws -> EventStream<LogPart> {
    try StubService().log(of: process, following: following)
  }
  func approvals() throws -> [ApprovalRecord] { [] }
  func answer(_ answer: ApprovalAnswer) throws -> ApprovalRecord {
    try StubService().answer(answer)
  }
  func events(
    of session: String?,
    since position: Int64?,
    includesEntries: Bool
  ) throws -> EventStream<SessionEvent> {
    try StubService().events(of: session, since: position, includesEntries: includesEntries)
  }
  func stop() throws {}
}
