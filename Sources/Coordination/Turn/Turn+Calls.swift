import Foundation
import Journal
import Transcripts
import Wire

// What calls need of the coordinator: a person's approval, and friends.

/// The requests of workers that wait for a person, the client or a friend.
struct WaitingCalls: Sendable {
  /// The workers that wait for a decision, by call.
  var approvals: [String: [PendingRequest]] = [:]
  /// The questions that this coordinator has asked, by their numbers.
  var questions: [Int64: ApprovalRecord] = [:]
  /// The worker that waits for the client.
  var client: ClientWait?
  /// Whether the client was told that the turn waits for it, and the clock stands still.
  var isPaused = false
  /// The requests to MCP servers that wait for an approval, by the workers that made them.
  var servers: [PendingRequest: MCPCall] = [:]
  /// The requests of tools' own code that wait for a person, by the numbers of their questions.
  var requests: [Int64: MCPCall] = [:]
  /// The calls whose servers wait for a person's answer, by the numbers of their questions.
  var forms: [Int64: FormCall] = [:]
  /// The workers that wait for a friend, by its conversation.
  var friends: [Int64: [PendingRequest]] = [:]
  /// The questions that wait until friends return unused budget, in order.
  var later: [FriendRequest] = []
  /// How often each worker has asked each question.
  private var asked: [RunID: [FriendQuestion: Int]] = [:]

  /// Counts a question.
  /// - Returns: How often the worker had asked it before.
  mutating func count(_ question: FriendQuestion, by run: RunID) -> Int {
    let number = asked[run]?[question] ?? 0
    asked[run, default: [:]][question] = number + 1
    return number
  }

  /// Forgets a worker that is gone.
  mutating func drop(_ run: RunID) {
    approvals = approvals.mapValues { $0.filter { $0.run != run } }
    if client?.pending.run == run { client = nil }
    servers = servers.filter { $0.key.run != run }
    requests = requests.filter { $0.value.pending.run != run }
    friends = friends.mapValues { $0.filter { $0.run != run } }
    later.removeAll { $0.pending.run == run }
  }
}

extension Approval {
  fileprivate init(_ decision: ApprovalDecision) {
    self = decision.denial.map(Approval.denied) ?? .approved
  }
}

extension Turn {
  // MARK: Approvals

  /// Asks a person about a call; several calls of a round may wait.
  mutating func askPerson(about callID: String, _ pending: PendingRequest) throws {
    // Repeated questions count too, because everything that waits for an answer takes memory.
    try quota.count(entries: 1)
    // No decision is wanted on a call that cannot be made, such as an earlier one.
    guard let asked = state.round?.callThatMayRun(callID) else { throw pending.stray(callID) }
    waiting.approvals[callID, default: []].append(pending)
    let approval = state.round?.approval(of: callID)
    if approval?.decision != nil { return deliverApproval(of: callID) }
    // One that an earlier coordinator asked is asked again.
    if let approval, waiting.questions[approval.question] != nil { return }
    let question = ApprovalQuestion(
      callID: callID,
      tool: asked.toolName,
      arguments: asked.arguments.jsonString
    )
    write([.askedApproval(question)], by: pending, then: .question(pending))
  }

  mutating func questionWritten(_ fact: Fact) {
    guard let record = ApprovalRecord(fact, session: settings.session) else { return }
    waiting.questions[fact.id] = record
    guard isAttended else {
      show(.approvalAsked(record))
      let denial = "No one is available to approve it."
      return decided(ApprovalDecision(denial: denial, by: .coordinator), on: fact.id)
    }
    // First, because an answer may come as soon as the question is shown.
    emit(.ask(record, patience: settings.approvalPatience))
    show(.approvalAsked(record))
  }

  mutating func decided(_ decision: ApprovalDecision, on question: Int64) {
    guard waiting.questions[question] != nil else { return }
    write(
      [.answeredApproval(question: question, decision)],
      then: .decision(question: question)
    )
  }

  mutating func decisionWritten(_ question: Int64, _ fact: Fact) {
    guard let record = waiting.questions.removeValue(forKey: question),
      case .answeredApproval(_, let decision) = fact.event
    else { return }
    show(.approvalAnswered(record.answered(decision, at: fact.at)))
    if let form = waiting.forms.removeValue(forKey: question) {
      return emit(.answerForm(form, FormAnswer(decision)))
    }
    if let call = waiting.requests.removeValue(forKey: question) {
      return goOn(with: call, Approval(decision))
    }
    deliverApproval(of: record.callID)
  }

  /// Tells the workers that wait what was decided about a call.
  mutating func deliverApproval(of callID: String) {
    guard let requests = waiting.approvals[callID], let first = requests.first,
      let approval = state.round?.approval(of: callID), let decision = approval.decision
    else { return }
    // From here on the tool may run, which must be known before the worker is.
    if approval.isApproved, !approval.isDelivered {
      return write(
        [.deliveredApproval(callID: callID)],
        by: first,
        then: .approvalDelivery(callID: callID)
      )
    }
    waiting.approvals[callID] = nil
    for pending in requests { deliver(Approval(decision), to: pending) }
  }

  // MARK: Friends

  mutating func phone(_ question: FriendQuestion, _ pending: PendingRequest) throws {
    try quota.count(entries: 1)
    try quota.count(bytes: question.friend.utf8.count + question.prompt.utf8.count)
    guard state.round?.mayRun(question.callID) == true else { throw pending.stray(question.callID) }
    let number = waiting.count(question, by: pending.run)
    guard let known = state.friends.call(question, number: number) else {
      return phone(FriendRequest(pending: pending, question: question))
    }
    if let answer = known.answer { return reply(to: pending, .friend(answer)) }
    waiting.friends[known.conversation, default: []].append(pending)
  }

  private mutating func phone(_ request: FriendRequest) {
    switch state.budget.friendReservation {
    case .reserved(let share): emit(.beginFriend(request, share))
    case .later: waiting.later.append(request)
    case .refused(let cap): reply(to: request.pending, .friend(FriendAnswer(nil, exit: .cap(cap))))
    }
  }

  mutating func friendBegun(_ request: FriendRequest, _ friend: BegunFriend) {
    waiting.friends[friend.conversation.id, default: []].append(request.pending)
    emit(.runFriend(request, friend))
    phoneNext()
  }

  mutating func friendEnded(_ end: FriendEnd, _ run: RunID) {
    // What a friend came to because this coordinator stops is not for the next one to tell.
    if progress.isLeftOpen { return emit(.forgetFriend(conversation: end.conversation)) }
    write([.friendEnded(end)], then: .friend(end, run: run))
  }

  mutating func friendEndWritten(_ end: FriendEnd, _ run: RunID) {
    team.addFriendUsage(end.usage, of: run)
    emit(.forgetFriend(conversation: end.conversation))
    for pending in waiting.friends.removeValue(forKey: end.conversation) ?? [] {
      if let answer = end.answer { reply(to: pending, .friend(answer)) }
    }
    phoneNext()
  }

  /// Phones friends that waited for a share of the budget, as far as there is one.
  mutating func phoneNext() {
    guard stopping == nil, let next = waiting.later.first else { return }
    switch state.budget.friendReservation {
    case .later: return
    case .reserved(let share):
      waiting.later.removeFirst()
      // The following one is looked at once this one has its share.
      emit(.beginFriend(next, share))
    case .refused(let cap):
      waiting.later.removeFirst()
      reply(to: next.pending, .friend(FriendAnswer(nil, exit: .cap(cap))))
      phoneNext()
    }
  }
}
