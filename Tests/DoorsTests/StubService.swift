import Foundation
import Synchronization
import Transcripts
import Wire

@testable import Coordination
@testable import Coordinator
@testable import Journal

/// A service that answers with fixed values, or with an error, and says what it was asked.
final class StubService: CoordinatorService {
  private let failure: (any Error)?
  private let turn: [TurnEvent]
  /// Whether streams end after their events.
  private let ends: Bool
  private let asked = Mutex<[String]>([])
  let (cancellations, cancelled) = AsyncStream<Void>.makeStream()

  init(failing failure: (any Error)? = nil, turn: [TurnEvent] = [], ends: Bool = true) {
    self.failure = failure
    self.turn = turn
    self.ends = ends
  }

  /// What it was asked, in words.
  var requests: [String] { asked.withLock { $0 } }

  private func record(_ words: String) throws {
    asked.withLock { $0.append(words) }
    if let failure { throw failure }
  }

  private func stream<Element: Sendable>(_ elements: [Element]) -> EventStream<Element> {
    let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
    for element in elements { continuation.yield(element) }
    if ends { continuation.finish() }
    continuation.onTermination = { [cancelled] _ in cancelled.yield() }
    return EventStream(stream)
  }

  static let approval = ApprovalRecord(
    id: 7,
    session: "talk",
    conversation: 1,
    turn: 1,
    agent: "clerk",
    callID: "c",
    tool: "send",
    arguments: "{}",
    asked: Date(timeIntervalSince1970: 100)
  )

  func metrics() throws -> String {
    try record("metrics")
    return "# HELP a b\n# TYPE a gauge\na 1\n"
  }

  func status() throws -> CoordinatorStatus {
    try record("status")
    return CoordinatorStatus(
      pid: getpid(),
      started: Date(timeIntervalSince1970: 100),
      state: "/state",
      agents: "Agents",
      model: nil,
      sandbox: "default",
      door: nil
    )
  }

  func processes() throws -> ProcessTree {
    try record("processes")
    return ProcessTree(
      coordinator: try status(),
      cores: nil,
      standbys: [],
      launches: [],
      workers: [],
      deaths: DeathList(problem: "It is damaged."),
      approvals: [Self.approval],
      clientCalls: []
    )
  }

  func prompt(_ request: PromptRequest) throws -> EventStream<TurnEvent> {
    let trace = request.options?.traceparent.map { " (\($0))" } ?? ""
    try record("prompt \(request.session): \(request.prompt)\(trace)")
    return stream(turn)
  }

  func submit(_ outputs: ClientToolOutputs) throws -> EventStream<TurnEvent> {
    let count = outputs.outputs.count
    try record("submit \(outputs.session ?? "-") \(outputs.turn ?? -1): \(count)")
    return stream(turn)
  }

  func resume(_ request: SessionRequest) throws -> EventStream<TurnEvent> {
    try record("resume \(request.session)")
    return stream(turn)
  }

  func cancel(session: String) throws { try record("cancel \(session)") }

  func open(_ request: SessionRequest) throws -> SessionStatus {
    try record("open \(request.session)")
    return SessionStatus(
      session: request.session,
      holder: "clerk",
      isInterrupted: false,
      waitsForPrompt: false,
      notes: []
    )
  }

  func hosts() throws -> [HostReport] {
    try record("hosts")
    return []
  }

  func change(_ host: HostChange) throws { try record("\(host.action) \(host.host)") }

  func agents() throws -> [AgentSummary] {
    try record("agents")
    return [AgentSummary(name: "clerk", description: "It files.", isBeginner: true)]
  }

  func fork(_ request: ForkRequest) throws -> SessionStatus {
    try record("fork \(request.session) \(request.turn ?? -1): \(request.name)")
    return try open(SessionRequest(session: request.name))
  }

  func delete(session: String) throws { try record("delete \(session)") }

  func sessions() throws -> [SessionSummary] {
    try record("sessions")
    let date = Date(timeIntervalSince1970: 100)
    return [SessionSummary(name: "talk", holder: "clerk", turns: 1, lastUse: date, clientCalls: [])]
  }

  func transcript(of session: String?) throws -> TranscriptTree {
    try record("transcript \(session ?? "-")")
    throw CoordinatorError.noSuchSession(session ?? "-")
  }

  func facts(of session: String, after place: Int64) throws -> [FactRow] {
    try record("facts \(session) \(place)")
    let start = ConversationStart(name: session, holder: "clerk")
    let at = Date(timeIntervalSince1970: 100)
    let fact = Fact(id: place + 1, conversation: 1, turn: nil, at: at, event: .began(start))
    return [try FactRow(fact)]
  }

  func latestTurn(of session: String) throws -> Int64? {
    try record("latest \(session)")
    return 7
  }

  func turn(_ turn: Int64) throws -> TurnReport {
    try record("turn \(turn)")
    throw ServiceError(.notFound, "no")
  }

  func renderedPrompt(of run: String) throws -> RenderedPrompt? {
    try record("rendered prompt \(run)")
    return RenderedPrompt(tokens: 2, cached: 1, cachedText: "<s>", computedText: "Hello")
  }

  func runs() throws -> [RunSummary] {
    try record("runs")
    return []
  }

  func log(of process: String, following: Bool) throws -> EventStream<LogPart> {
    try record("log \(process) \(following)")
    return stream([.text("one\n"), .text("two\n")])
  }

  func approvals() throws -> [ApprovalRecord] {
    try record("approvals")
    return [Self.approval]
  }

  func answer(_ answer: ApprovalAnswer) throws -> ApprovalRecord {
    let words = answer.isCancelled ? "neither" : answer.denial ?? "yes"
    try record("answer \(answer.id): \(words)")
    guard answer.id == Self.approval.id else { throw ApprovalError(id: answer.id, known: nil) }
    return Self.approval
  }

  func events(
    of session: String?,
    since position: Int64?,
    includesEntries: Bool
  ) throws -> EventStream<SessionEvent> {
    try record("events \(session ?? "-") \(position ?? -1)\(includesEntries ? "" : " no entries")")
    return stream(
      turn.enumerated().map { place, event in
        SessionEvent(position: Int64(place), session: "talk", request: "r", event: event)
      }
    )
  }

  func stop() throws { try record("stop") }
}
