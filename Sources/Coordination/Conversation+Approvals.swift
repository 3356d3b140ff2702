import Journal
import Transcripts
import Wire

extension Conversation {
  /// Asks a person about a call, concurrently with the turn: several calls of a round may wait.
  func askPerson(about callID: String, turn: Int, agent: String) throws {
    guard isCurrent(turn, agent), let active = self.turn, let link = seats[agent]?.link else {
      return
    }
    // Repeated questions count too, because everything that waits for an answer takes memory.
    try self.turn?.quota.take(entries: 1)
    // From now on the worker may be told that the call may run.
    self.turn?.round?.undecided.remove(callID)
    if active.approvals[callID] == nil {
      // Nobody is to decide on a call that cannot be made, such as an earlier one.
      guard let call = active.round?.callThatMayRun(callID) else { throw UnknownCall(id: callID) }
      let question = ApprovalDesk.Question(
        conversation: record.id,
        turn: active.id,
        agent: agent,
        callID: callID,
        tool: call.toolName,
        arguments: call.arguments.jsonString,
        patience: active.isAttended ? .seconds(active.budget.approvalSeconds) : nil
      )
      // The conversation must keep receiving messages while the person thinks.
      let asking = Task { try await self.ask(question, watch: active.watch) }
      self.turn?.approvals[callID] = ApprovalQuestion(asking: asking)
    }
    guard let asking = self.turn?.approvals[callID]?.asking else { return }
    // Nobody waits for this one: each call is answered once the person has decided about it.
    Task {
      do {
        try link.send(.approvalAnswered(turn: turn, callID: callID, try await asking.value))
      } catch {
        await self.giveUp(on: link.run, because: error)
      }
    }
  }

  private func ask(
    _ question: ApprovalDesk.Question,
    watch: @Sendable (TurnEvent) -> Void
  ) async throws -> Approval {
    let answered = try await services.approvals.ask(question) {
      await self.goesOn(question.turn)
    } show: {
      watch(.approvalAsked($0))
    }
    watch(.approvalAnswered(answered))
    let approval = answered.answer?.denial.map { Approval.denied($0) } ?? .approved
    if turn?.id == question.turn { turn?.approvals[question.callID]?.answer = approval }
    return approval
  }

  /// Whether a turn is under way and has not been stopped.
  private func goesOn(_ id: Int64) -> Bool { turn?.id == id && turn?.stopping == nil }
}

/// The error for a worker that asked about a call that is not open or not admitted.
struct UnknownCall: Error, CustomStringConvertible {
  let id: String

  var description: String { "The worker asked about the call '\(id)', which is not open." }
}
