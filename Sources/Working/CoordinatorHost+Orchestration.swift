import AgentKit
import Wire

/// Passes the baton and phones friends by asking through the pipe.
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
