import AgentKit
import Synchronization
import Wire

/// The coordinator as the session of one turn sees it, which asks it through the pipe.
final class CoordinatorHost: TurnHost {
  let options: TurnOptions?
  let contextPolicy: ContextPolicy?
  let clientFunctions: [ClientFunction]
  let session: LanguageModelSession
  let outbox: Outbox
  let requests: TurnRequests
  let resources: ResourceWatch
  private let openCalls: [String: CallProgress]
  let state: Mutex<TurnHostState>

  /// - Parameters:
  ///   - arrival: When the order came.
  ///   - history: What the turn begins with, for the coordinator and the session alike.
  init(
    _ order: TurnOrder,
    since arrival: SuspendingClock.Instant,
    session: LanguageModelSession,
    history: Transcript.HistoryView,
    properties: [String: String],
    outbox: Outbox,
    requests: TurnRequests,
    resources: ResourceWatch
  ) {
    self.session = session
    // The prompt may be gone from the history, and an earlier one asks nothing of this turn.
    options = order.options ?? TurnOptions()
    contextPolicy = ContextPolicy(widestWindow: order.widestWindow)
    clientFunctions = order.options?.clientTools?.map { ClientFunction($0) } ?? []
    openCalls = order.openCalls
    self.outbox = outbox
    self.requests = requests
    self.resources = resources
    let open = order.unfinishedCalls ?? history.openCalls
    resources.note(open)
    state = Mutex(
      TurnHostState(
        history: history,
        properties: properties,
        historyRewrites: session.historyRewrites,
        openCalls: open,
        batonPassed: order.hasPassedBaton,
        deadline: order.secondsLeft.map { arrival + .seconds($0) }
      )
    )
  }

  /// The history as the coordinator has it.
  var history: Transcript.HistoryView { state.withLock { $0.history } }

  /// The calls whose outputs the coordinator still expects.
  var unfinishedCalls: [Transcript.ToolCall] { state.withLock { $0.openCalls } }

  /// The session properties as the coordinator has them.
  var properties: [String: String] { state.withLock { $0.properties } }

  /// When the cap on seconds ends the turn.
  var deadline: SuspendingClock.Instant? { state.withLock { $0.deadline } }

  var exitOfCancellation: TurnExit { requests.cap.map { .cap($0) } ?? .cancelled }

  /// Whether a tool's answer has ended the turn.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Asks the coordinator, after giving back an admission that what is asked may change.
  func ask<Reply>(_ request: HostRequest<Reply>) async throws -> Reply {
    returnAdmission()
    return try await requests.ask(request)
  }

  /// Gives back an admission that came with a record and was not used.
  func returnAdmission() {
    state.withLock { state in
      // Sent under the lock, so that no request that another task makes meanwhile goes ahead of it.
      guard case .admitted? = state.admission.take() else { return }
      outbox.send(.unusedAdmission(turn: requests.turn))
    }
  }

  func admitRequest() async throws -> RoundAdmission {
    try await recordState()
    let known = state.withLock { $0.admission.take() }
    let answer = if let known { known } else { try await ask(.admission(.round)) }
    switch answer {
    case .admitted(let admission):
      state.withLock { $0.clock = RequestClock() }
      return admission
    case .refused(let cap): throw CapReached(cap: cap)
    }
  }

  func admitSummary() async throws -> Int? {
    guard
      case .admitted(.go(let maximumTokens)) = try await ask(.admission(.summary))
    else { return nil }
    state.withLock { $0.clock = RequestClock() }
    return maximumTokens
  }

  func record(
    _ entries: [Transcript.Entry],
    usage: LanguageModelSession.Usage?
  ) async throws -> AdmittedCalls {
    // The time that a tool's sessions took was not measured.
    let isOutput = if case .toolOutput? = entries.last { true } else { false }
    let usage = usage.map { isOutput ? RequestUsage(untimed: $0) : requestUsage($0) }
    let admitted = try await record(entries, usage, includesHistory: true)
    // Logged afterwards, because one thread reads both this process's log and its messages.
    if let usage { Log.write("request: \(usage)") }
    return admitted
  }

  /// Records entries, and before them what the agent has written to its session.
  ///
  /// - Parameter includesHistory: Whether the session's history is the conversation's.
  private func record(
    _ entries: [Transcript.Entry],
    _ usage: RequestUsage?,
    includesHistory: Bool
  ) async throws -> AdmittedCalls {
    let (runsCalls, endsRound) = state.withLock { state in
      for entry in entries { state.updateOpenCalls(entry) }
      guard case .toolOutput? = entries.last else { return (false, false) }
      return (!state.openCalls.isEmpty, state.openCalls.isEmpty && !state.batonPassed)
    }
    try await recordState(whileCallsRun: runsCalls, includesHistory: includesHistory)
    if case .toolCalls(let calls)? = entries.last { resources.note(calls) }
    let raw = try entries.map(RawEntry.init)
    // Before the reply, which a cancellation may forestall: the coordinator may count on entries that
    // this worker has sent, and never on fewer.
    state.withLock { $0.history += entries }
    // After the last output of a round, the model is asked again.
    let answer = try await ask(.record(raw, usage, then: endsRound ? .round : nil))
    state.withLock { $0.admission = answer.admission }
    return answer.calls
  }

  /// Records what a call returned; what its tool used of models is recorded with its entry.
  func recordEarly(_ output: Transcript.ToolOutput) async throws {
    try await recordState(whileCallsRun: true)
    _ = try await ask(.recordEarly(RawEntry(.toolOutput(output))))
  }

  func record(_ report: ContextReport, usage: LanguageModelSession.Usage?) async throws {
    let usage = usage.map(requestUsage)
    if let usage { Log.write("summary: \(usage)") }
    Log.write("context: \(report)")
    try await recordState(report: report, usage: usage)
  }

  func count(_ usage: LanguageModelSession.Usage) async throws {
    guard usage.totalTokenCount > 0 else { return }
    let usage = RequestUsage(untimed: usage)
    // A turn that failed has its old history back. What any other turn rewrote is recorded before
    // its next request, or at its end.
    try await recordState(includesHistory: false, usage: usage)
    Log.write("sessions of the agent's own: \(usage)")
  }

  private func requestUsage(_ usage: LanguageModelSession.Usage) -> RequestUsage {
    var usage = state.withLock { $0.clock.usage(usage) }
    usage.contextSize = session.contextSize
    return usage
  }

  /// Records what the agent has written to its session since the last time.
  ///
  /// Agents may write to their session at any moment, so this is called before anything that could
  /// follow from what they wrote.
  ///
  /// - Parameters:
  ///   - runsCalls: Whether tools may be running meanwhile.
  ///   - includesHistory: Whether the session's history is the conversation's; a turn that fails
  ///     restores its old one.
  func recordState(
    whileCallsRun runsCalls: Bool = false,
    includesHistory: Bool = true,
    report: ContextReport? = nil,
    usage: RequestUsage? = nil
  ) async throws {
    let (recorded, rewritesRecorded) = state.withLock { ($0.properties, $0.historyRewrites) }
    let properties = session.properties.exported(includesObjects: !runsCalls)
    let rewrites = session.historyRewrites
    var change = StateChange(
      properties: properties.filter { recorded[$0.key] != $0.value },
      context: report,
      usage: usage
    )
    var history: Transcript.HistoryView?
    if includesHistory, rewrites != rewritesRecorded {
      let rewritten = session.recordedTranscript.history
      change.history = HistoryEdit(from: Array(self.history), to: Array(rewritten))
      history = rewritten
    }
    if !change.isEmpty { _ = try await ask(.recordState(change)) }
    state.withLock { state in
      if let history { state.history = history }
      if includesHistory { state.historyRewrites = rewrites }
      state.properties.merge(change.properties) { $1 }
    }
  }

  func progress(of call: Transcript.ToolCall) -> CallProgress {
    openCalls[call.id] ?? .perhapsRun
  }

  func show(_ change: TextChange) async {
    state.withLock { $0.clock.noteFirstToken() }
    outbox.send(.text(turn: requests.turn, change))
  }

  /// Gives the call that ended the loop an output, so that the transcript stays in order, and the
  /// person an answer.
  func close(with answer: FinalAnswer) async -> Transcript.HistoryView? {
    // The history may lack the calls, because hooks may have rewritten it since.
    let outputs = unfinishedCalls.map { call in
      Transcript.Entry.toolOutput(
        .init(
          id: call.id,
          toolName: call.toolName,
          segments: [.text(.init(content: "The turn ends here."))]
        )
      )
    }
    let response = Transcript.Response(segments: [.text(.init(content: answer.content))])
    do {
      // The turn threw, so the session has its old history back, which is not the conversation's.
      // No request was made for the answer, but it is the last entry of the turn.
      _ = try await record(
        outputs + [.response(response)],
        RequestUsage(),
        includesHistory: false
      )
    } catch {
      return nil
    }
    // What the session's history was does not matter any more: it takes over the coordinator's.
    let rewrites = session.historyRewrites
    return state.withLock { state in
      (state.isClosed, state.historyRewrites) = (true, rewrites)
      return state.history
    }
  }
}
