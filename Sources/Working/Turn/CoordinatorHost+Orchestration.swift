import AgentKit
import Synchronization
import Wire

// What calls need of the coordinator.

extension CoordinatorHost {
  func callsToFinish(in transcript: Transcript) -> [Transcript.ToolCall] { unfinishedCalls }

  func continues(after calls: Transcript.ToolCalls) async -> Bool {
    checkResources()
    return !state.withLock { $0.batonPassed }
  }

  /// Tells the coordinator, once, that this process has reached a bound.
  func checkResources() {
    guard let exhaustion = resources.exhaustion() else { return }
    Log.write("\(exhaustion)")
    outbox.send(.exhausted(exhaustion))
  }

  /// Asks a person, about one call with an id at a time: a decision must not stand for two calls.
  func approve(_ call: Transcript.ToolCall) async throws -> Approval {
    guard state.withLock({ $0.callsInApproval.insert(call.id).inserted }) else {
      throw ApprovalInProgress(callID: call.id)
    }
    defer { state.withLock { _ = $0.callsInApproval.remove(call.id) } }
    return try await ask(.approval(callID: call.id))
  }

  func performByClient(
    _ calls: [Transcript.ToolCall]
  ) async throws -> [String: [Transcript.Segment]] {
    let answer = try await ask(.client(calls.map(\.id)))
    // The time that the client took does not count.
    let deadline = answer.secondsLeft.map { SuspendingClock.now + .seconds($0) }
    state.withLock { $0.deadline = deadline }
    return Dictionary(answer.outputs.map { ($0.callID, $0.segments) }) { first, _ in first }
  }

  /// Returns whether the coordinator knows a call; it does not know those of a hook's session.
  ///
  /// It knows them also where the history no longer has them, because a hook has rewritten it.
  private func isRecorded(_ callID: String) -> Bool {
    unfinishedCalls.contains { $0.id == callID }
  }
}

/// Passes the baton and phones friends.
extension CoordinatorHost: Orchestration {
  func passBaton(to agent: String) async throws -> BatonAnswer {
    guard let callID = ToolCallContext.call?.id, isRecorded(callID) else {
      throw ToolCallRejection(
        "A session that runs outside a tool, for example in a hook, cannot pass the baton. Pass it"
          + " in a tool."
      )
    }
    let answer = try await ask(.passBaton(callID: callID, to: agent))
    // An agent that named itself still holds the baton and continues.
    if answer.refusal == nil, answer.holder == agent { state.withLock { $0.batonPassed = true } }
    return answer
  }

  func phone(
    _ agent: String,
    with prompt: String,
    for call: Transcript.ToolCall
  ) async throws -> FriendAnswer {
    guard isRecorded(call.id) else {
      return .failed(
        "a session that runs outside a tool, for example in a hook, cannot phone a friend. Phone in"
          + " a tool."
      )
    }
    return try await ask(.phone(callID: call.id, agent: agent, prompt: prompt))
  }

  func ask(_ request: MCPRequest, for call: Transcript.ToolCall) async throws -> MCPAnswer {
    guard isRecorded(call.id) else {
      return .failed(
        "A session that runs outside a tool, for example in a hook, cannot call MCP servers. Call"
          + " them in a tool."
      )
    }
    let window = session.contextSize
    let answer = try await ask(.mcp(callID: call.id, request, window: window))
    // A model that sees no images would refuse the whole transcript because of one.
    guard case .returned(let text, _) = answer, !session.seesImages else { return answer }
    return .returned(text)
  }

  /// Without a cap there is no end to a wait, so there is no time for one.
  var timeLeft: Duration { deadline.map { SuspendingClock.now.duration(to: $0) } ?? .zero }

  var traceparent: String? { options?.traceparent }

  func note(_ wait: ServerWait) { outbox.send(.serverWait(turn: requests.turn, wait)) }
}

/// An error thrown when a person is already being asked about a call with the same id.
struct ApprovalInProgress: Error, CustomDebugStringConvertible {
  let callID: String

  var debugDescription: String {
    "Two calls have the id '\(callID)', and a person is already being asked about one of them."
  }
}
