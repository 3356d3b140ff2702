import AgentKit
import Synchronization
import Wire

/// The coordinator as the session of one turn sees it: every question goes through the pipe.
final class CoordinatorHost: TurnHost {
  let turn: Int
  let contextPolicy: ContextPolicy?
  /// When the cap on seconds ends the turn.
  let deadline: SuspendingClock.Instant?
  private let session: LanguageModelSession
  let outbox: Outbox
  let replies: Replies
  let resources: ResourceWatch
  private let openCalls: [String: CallProgress]
  private let state: Mutex<HostState>

  /// - Parameters:
  ///   - arrival: When the order came.
  ///   - history: What the turn begins with, for the coordinator and the session alike.
  init(
    _ order: TurnOrder,
    since arrival: SuspendingClock.Instant,
    session: LanguageModelSession,
    history: [Transcript.Entry],
    properties: [String: String],
    outbox: Outbox,
    replies: Replies,
    resources: ResourceWatch
  ) {
    turn = order.turn
    self.session = session
    contextPolicy = ContextPolicy(widestWindow: order.widestWindow)
    deadline = order.secondsLeft.map { arrival + .seconds($0) }
    openCalls = order.openCalls
    self.outbox = outbox
    self.replies = replies
    self.resources = resources
    let open = order.unfinishedCalls ?? history.openCalls
    resources.note(open)
    state = Mutex(
      HostState(
        history: history,
        properties: properties,
        historyRewrites: session.historyRewrites,
        admissionAhead: order.admission,
        openCalls: open,
        batonPassed: order.hasPassedBaton
      )
    )
  }

  /// The history as the coordinator has it once it has received everything.
  var history: [Transcript.Entry] { state.withLock { $0.history + $0.unsettled } }

  /// The calls whose outputs the coordinator still expects.
  var unfinishedCalls: [Transcript.ToolCall] { state.withLock { $0.openCalls } }

  /// The session properties as the coordinator has them.
  var properties: [String: String] { state.withLock { $0.properties } }

  var exitOfCancellation: TurnExit { replies.cap(of: turn).map { .cap($0) } ?? .cancelled }

  var batonPassed: Bool { state.withLock { $0.batonPassed } }

  func noteBatonPassed() { state.withLock { $0.batonPassed = true } }

  /// Whether a tool's answer has ended the turn.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Notes that a tool's answer has ended the turn.
  ///
  /// What the session's history was does not matter any more: it takes over the coordinator's.
  func noteClosed() {
    let rewrites = session.historyRewrites
    state.withLock { ($0.isClosed, $0.historyRewrites) = (true, rewrites) }
  }

  func admit(
    round: Int,
    mode: GenerationOptions.ToolCallingMode.Kind
  ) async throws -> RoundAdmission {
    try await tellState()
    switch try await admission(of: round, mode) {
    case .admitted(let admission):
      state.withLock { $0.clock = RequestClock() }
      return admission
    case .refused(let cap): throw CapReached(cap: cap)
    }
  }

  /// Returns whether and how a request may be made, without waiting where that is already known.
  ///
  /// Entries recorded before may then not be journaled yet when the model reads them. But no tool
  /// runs and nothing of the answer is shown before they are.
  private func admission(
    of round: Int,
    _ mode: GenerationOptions.ToolCallingMode.Kind
  ) async throws -> AdmissionAnswer {
    if let ahead = state.withLock({ $0.admissionAhead.take() }) {
      if case .admitted = ahead { outbox.send(.takesAdmission(turn: turn)) }
      return ahead
    }
    let reply = try await replies.wait(for: .admission, turn: turn) {
      outbox.send(.admission(turn: turn, round: round, mode: mode))
    }
    noteSettled()
    guard case .admission(let answer) = reply else { throw ProtocolFault() }
    return answer
  }

  /// Discards the admission given ahead, because something else uses what it would have used.
  func forgetAdmission() { state.withLock { $0.admissionAhead = nil } }

  func admitSummary() async throws -> Int? {
    forgetAdmission()
    let reply = try await replies.wait(for: .admission, turn: turn) {
      outbox.send(.admissionOfSummary(turn: turn))
    }
    noteSettled()
    guard case .admission(.admitted(.go(let maximumTokens))) = reply else { return nil }
    state.withLock { $0.clock = RequestClock() }
    return maximumTokens
  }

  func keep(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws {
    let figures = usage.map(figures)
    if let figures { Log.write("summary: \(figures)") }
    Log.write("context: \(report)")
    try await tellState(report: report, figures: figures)
  }

  func count(_ usage: LanguageModelSession.Usage) async throws {
    guard usage.totalTokenCount > 0 else { return }
    let figures = RequestFigures(untimed: usage)
    // A turn that failed has its old history back. What any other turn rewrote is reported before
    // its next request, or at its end.
    try await tellState(includesHistory: false, figures: figures)
    Log.write("sessions of the agent's own: \(figures)")
  }

  private func figures(_ usage: LanguageModelSession.Usage) -> RequestFigures {
    var figures = state.withLock { $0.clock.figures(usage) }
    figures.contextSize = session.contextSize
    return figures
  }

  private func figures(
    _ usage: LanguageModelSession.Usage,
    of entry: Transcript.Entry
  ) -> RequestFigures {
    // Nobody has measured how long a tool's sessions took.
    if case .toolOutput = entry { RequestFigures(untimed: usage) } else { figures(usage) }
  }

  /// Has the coordinator keep what the agent has written since the last time.
  ///
  /// Agents may write to their session at any moment, so this is called before anything that could
  /// follow from what they wrote.
  ///
  /// - Parameters:
  ///   - runsCalls: Whether tools may be running meanwhile.
  ///   - includesHistory: Whether the session's history is the conversation's; a turn that fails
  ///     restores its old one.
  func tellState(
    whileCallsRun runsCalls: Bool = false,
    includesHistory: Bool = true,
    report: ContextReport? = nil,
    figures: RequestFigures? = nil
  ) async throws {
    let (told, rewritesTold) = state.withLock { ($0.properties, $0.historyRewrites) }
    let properties = session.properties.exported(includesObjects: !runsCalls)
    let rewrites = session.historyRewrites
    let isRewritten = includesHistory && rewrites != rewritesTold
    var change = StateChange(
      properties: properties.filter { told[$0.key] != $0.value },
      context: report,
      figures: figures
    )
    guard isRewritten || !change.isEmpty else { return }
    try await settleAnswered()
    if figures != nil { forgetAdmission() }
    var history: [Transcript.Entry]?
    if isRewritten {
      let rewritten = Array(session.recordedTranscript.history)
      // An edit is relative to what the coordinator has when it receives it.
      change.history = HistoryEdit(from: self.history, to: rewritten)
      history = rewritten
    }
    let reply = try await replies.wait(for: .state, turn: turn) {
      outbox.send(.state(turn: turn, change))
    }
    guard case .stateKept = reply else { throw ProtocolFault() }
    noteSettled()
    state.withLock { state in
      if let history { state.history = history }
      if includesHistory { state.historyRewrites = rewrites }
      state.properties.merge(change.properties) { $1 }
    }
  }

  func record(
    _ entry: Transcript.Entry,
    usage: LanguageModelSession.Usage?,
    isAwaited: Bool
  ) async throws {
    let figures = usage.map { self.figures($0, of: entry) }
    try await tell(entry, figures: figures, isAwaited: isAwaited)
    // Logged afterwards, because one thread reads both this process's log and its messages.
    if let figures { Log.write("request: \(figures)") }
    if isAwaited { try await settle() }
  }

  /// Sends an entry to be kept; `settle` waits until it is.
  ///
  /// - Parameters:
  ///   - figures: The cost of the request that ends with this entry.
  ///   - isAwaited: Whether the coordinator answers it; only then must the next message wait for
  ///     the answer.
  ///   - includesHistory: Whether the session's history is the conversation's.
  func tell(
    _ entry: Transcript.Entry,
    figures: RequestFigures?,
    isAwaited: Bool,
    includesHistory: Bool = true
  ) async throws {
    let runsCalls = state.withLock { $0.count(entry) > 0 }
    try await tellState(whileCallsRun: runsCalls, includesHistory: includesHistory)
    if case .toolOutput = entry, figures != nil { forgetAdmission() }
    if case .toolCalls(let calls) = entry { resources.note(calls) }
    try await settleAnswered()
    if isAwaited {
      try replies.ask(.recording(entryID: entry.id), turn: turn) {
        outbox.send(.entry(turn: turn, entry, figures: figures))
      }
    } else {
      try replies.say(in: turn) {
        outbox.send(.unawaitedEntry(turn: turn, entry, figures: figures))
      }
    }
    state.withLock { state in
      state.unsettled.append(entry)
      if isAwaited { state.answeredEntry = entry.id }
    }
  }

  /// Waits for a pending answer to an entry, which says more than that it was kept.
  private func settleAnswered() async throws {
    if state.withLock({ $0.answeredEntry != nil }) { try await settle() }
  }

  func settle() async throws {
    let (isSettled, answered) = state.withLock { ($0.unsettled.isEmpty, $0.answeredEntry) }
    guard !isSettled else { return }
    guard let answered else {
      let reply = try await replies.wait(for: .settling, turn: turn) {
        outbox.send(.settle(turn: turn))
      }
      guard case .settled = reply else { throw ProtocolFault() }
      return noteSettled()
    }
    let reply = try await replies.awaitAnswer(to: .recording(entryID: answered))
    guard case .recorded(let calls, let repeated, let next) = reply else { throw ProtocolFault() }
    noteSettled()
    state.withLock { state in
      (state.admittedCalls, state.repeatedCalls) = (calls, repeated)
      if let next { state.admissionAhead = next }
    }
  }

  /// Marks entries as kept: the coordinator keeps everything sent before a message that it answers.
  private func noteSettled() {
    state.withLock { state in
      state.history += state.unsettled
      state.unsettled = []
      state.answeredEntry = nil
    }
  }

  func admit(_ calls: Transcript.ToolCalls) async throws -> Int {
    state.withLock { $0.admittedCalls }
  }

  func repeated(in calls: Transcript.ToolCalls) async throws -> Set<String> {
    let places = state.withLock { $0.repeatedCalls }
    return Set(places.filter(calls.indices.contains).map { calls[$0].id })
  }

  func progress(of call: Transcript.ToolCall) -> CallProgress {
    openCalls[call.id] ?? .perhapsRun
  }

  func show(_ snapshot: EntrySnapshot) async {
    let change = state.withLock { state in
      state.clock.noteFirstToken()
      return state.shown.change(to: snapshot)
    }
    outbox.send(.text(turn: turn, change))
  }
}
