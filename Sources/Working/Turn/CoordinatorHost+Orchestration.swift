import AgentKit
import Wire

// What calls need of the coordinator, asked through the pipe.

extension CoordinatorHost {
  func callsToFinish(in transcript: Transcript) -> [Transcript.ToolCall] { unfinishedCalls }

  func continues(after calls: Transcript.ToolCalls) async -> Bool {
    checkResources()
    return !batonPassed
  }

  /// Tells the coordinator, once, that this process has reached a bound.
  func checkResources() {
    guard let exhaustion = resources.exhaustion() else { return }
    Log.write("\(exhaustion)")
    outbox.send(.exhausted(exhaustion))
  }

  /// Reports a tool's output early; what the tool used of models is reported with its entry.
  func keepEarly(_ output: Transcript.ToolOutput) async throws {
    try await tellState(whileCallsRun: true)
    try replies.say(in: turn) { outbox.send(.earlyOutput(turn: turn, .toolOutput(output))) }
  }

  func approve(_ call: Transcript.ToolCall) async throws -> Approval {
    let reply = try await replies.wait(for: .approval(callID: call.id), turn: turn) {
      outbox.send(.approval(turn: turn, callID: call.id))
    }
    guard case .approval(let answer) = reply else { throw ProtocolFault() }
    return answer
  }

  /// Gives the call that ended the loop an output, so that the transcript stays in order, and the
  /// person an answer.
  func close(with answer: FinalAnswer) async -> [Transcript.Entry]? {
    // The turn threw, so the session has its old history back, which is not the conversation's.
    func tell(_ entry: Transcript.Entry, _ figures: RequestFigures?, isAwaited: Bool) async throws {
      try await self.tell(entry, figures: figures, isAwaited: isAwaited, includesHistory: false)
    }
    do {
      try await settle()
      // The history may lack them, because hooks may have rewritten it since.
      for call in unfinishedCalls {
        let output = Transcript.ToolOutput(
          id: call.id,
          toolName: call.toolName,
          segments: [.text(.init(content: "The turn ends here."))]
        )
        try await tell(.toolOutput(output), nil, isAwaited: false)
      }
      let response = Transcript.Response(segments: [.text(.init(content: answer.content))])
      // No request was made for it, but it is the last entry of the turn.
      try await tell(.response(response), RequestFigures(), isAwaited: true)
      try await settle()
      noteClosed()
      return history
    } catch {
      return nil
    }
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
    let reply: Reply
    do {
      reply = try await replies.wait(for: .baton(callID: callID), turn: turn) {
        outbox.send(.passBaton(turn: turn, callID: callID, to: agent))
      }
    } catch let error as AskedTwice {
      // Both requests come from a model, in a session run by a single call.
      throw ToolCallRejection(error.debugDescription)
    }
    guard case .baton(let answer) = reply else { throw ProtocolFault() }
    // An agent that named itself still holds the baton and continues.
    if answer.refusal == nil, answer.holder == agent { noteBatonPassed() }
    return answer
  }

  /// Without a cap there is no end to a wait, so there is no time for one.
  var timeLeft: Duration { deadline.map { SuspendingClock.now.duration(to: $0) } ?? .zero }

  func note(_ wait: ServerWait) { outbox.send(.serverWait(turn: turn, wait)) }

  /// Returns whether the coordinator knows a call; it does not know those of a hook's session.
  ///
  /// It knows them also where the history no longer has them, because a hook has rewritten it.
  private func isRecorded(_ callID: String) -> Bool {
    unfinishedCalls.contains { $0.id == callID }
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
    forgetAdmission()
    let reply: Reply
    do {
      reply = try await replies.wait(for: .friend(callID: call.id), turn: turn) {
        outbox.send(.phone(turn: turn, callID: call.id, agent: agent, prompt: prompt))
      }
    } catch let error as AskedTwice {
      return .failed(error.debugDescription)
    }
    guard case .friend(let answer) = reply else { throw ProtocolFault() }
    return answer
  }
}
