import Journal
import Transcripts
import Wire

// Calls that the client of the turn performs.

/// The worker that waits for the client.
struct ClientWait: Sendable {
  let pending: PendingRequest
  /// The identities of the calls of which it wants the outputs.
  let calls: [String]
}

extension Turn {
  /// Has the client perform calls of the round, and waits for it.
  mutating func askClient(about calls: [String], _ pending: PendingRequest) throws {
    try quota.count(entries: calls.count)
    let offered = Set(settings.isFriend ? [] : state.options?.clientTools?.map(\.name) ?? [])
    for id in calls {
      guard let asked = state.round?.callThatMayRun(id), offered.contains(asked.toolName),
        calls.count(where: { $0 == id }) == 1
      else { throw pending.stray(id) }
    }
    waiting.client = ClientWait(pending: pending, calls: calls)
    let new = calls.filter { state.round?.client.isAsked($0) != true }
    // What an earlier worker asked is not asked again.
    guard !new.isEmpty else { return deliverClientOutputs() }
    write([.askedClient(calls: new)], by: pending, then: .clientQuestion(pending))
  }

  /// Tells the worker what the client answered to all its calls, or goes on waiting.
  mutating func deliverClientOutputs() {
    guard let wait = waiting.client else {
      // A worker that takes the place of one that died will ask.
      if state.waitsForClient { pause() }
      return
    }
    guard let outputs = state.round?.clientOutputs(of: wait.calls) else { return pause() }
    waiting.client = nil
    let answer = ClientAnswer(outputs: outputs, secondsLeft: clock.secondsLeft)
    reply(to: wait.pending, .client(answer))
  }

  /// Stops the clock, and tells the client what the turn waits for.
  private mutating func pause() {
    guard !waiting.isPaused else { return }
    waiting.isPaused = true
    show(.clientCalls(state.round?.callsForClient ?? []))
    emit(.pause)
  }

  /// Takes outputs of the client, which has been told that the turn waits.
  /// - Parameter outputs: Those that are new.
  mutating func clientAnswered(_ outputs: [ClientToolOutput], request: String?) {
    waiting.isPaused = false
    guard !outputs.isEmpty else { return deliverClientOutputs() }
    write(
      [.answeredClient(outputs, request: request)],
      then: .clientAnswer(outputs.map(\.callID))
    )
  }

  mutating func clientAnswerWritten(_ calls: [String]) {
    show(.clientAnswered(turn: id, calls: calls))
    deliverClientOutputs()
  }

  /// Ends a turn that waits for its client, which has sent another prompt instead.
  ///
  /// What was said stays, and the calls get outputs that say that they were not answered. A worker
  /// that took the place of one that died may have closed the calls itself, and gone on.
  mutating func supersede() {
    guard stopping == nil else { return }
    progress.isSuperseded = true
    stop(.cancelled, leavesOpen: false)
  }
}

extension TurnState {
  /// Whether calls of the round wait for the client.
  var waitsForClient: Bool { !(round?.callsForClient.isEmpty ?? true) }

  /// The facts that give the open calls outputs, where the client will not perform them any more.
  var unansweredOutputs: [Fact.Event] {
    (round?.unansweredOutputs ?? []).compactMap { output in
      // What cannot be encoded stays without an output, as in a turn that failed.
      (try? RawEntry(.toolOutput(output))).map { .recorded($0, nil) }
    }
  }
}

extension OpenRound {
  /// The calls that wait for the client, in order.
  var callsForClient: [Transcript.ToolCall] { open.filter { client.isWaiting($0.id) } }

  /// Returns what the client answered to calls, or `nil` unless it has answered all of them.
  func clientOutputs(of calls: [String]) -> [ClientToolOutput]? {
    let outputs = calls.compactMap { client.output(of: $0) }
    return outputs.count == calls.count ? outputs : nil
  }

  /// Outputs for all open calls: what they have returned, or that they were not performed.
  fileprivate var unansweredOutputs: [Transcript.ToolOutput] {
    open.map { call in
      let segments: [Transcript.Segment]
      if let output = client.output(of: call.id) {
        segments = output.segments
      } else if case .returned(let early) = progress[call.id] {
        segments = early
      } else {
        let notice = ToolCallNotice(
          status: .unanswered,
          tool: call.toolName,
          reason: client.isWaiting(call.id)
            ? "The client sent another prompt instead of performing the call."
            : "The turn ended before the output was stored."
        )
        segments = [notice.segment]
      }
      return .init(id: call.id, toolName: call.toolName, segments: segments)
    }
  }
}
