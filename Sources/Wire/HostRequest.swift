package import Transcripts

/// A request of a worker, together with the type of its one reply.
package struct HostRequest<Reply: HostReply>: Sendable {
  package let message: WorkerRequest

  private init(_ message: WorkerRequest) {
    self.message = message
  }
}

/// The answer to one kind of request.
package protocol HostReply: Sendable {
  /// Takes the answer from a reply; `nil` if the reply is that of another kind.
  init?(_ reply: WorkerReply)
}

extension HostRequest<AdmissionAnswer> {
  package static func admission(_ purpose: RequestPurpose) -> Self { Self(.admission(purpose)) }
}

extension HostRequest<AdmittedCalls> {
  package static func record(_ entries: [RawEntry], _ usage: RequestUsage?) -> Self {
    Self(.record(entries, usage))
  }

  package static func recordEarly(_ output: RawEntry) -> Self { Self(.recordEarly(output)) }

  package static func recordState(_ change: StateChange) -> Self { Self(.recordState(change)) }
}

// MARK: Host tools

extension HostRequest<Approval> {
  package static func approval(callID: String) -> Self {
    Self(.hostTool(callID: callID, .approval))
  }
}

extension HostRequest<BatonAnswer> {
  package static func passBaton(callID: String, to agent: String) -> Self {
    Self(.hostTool(callID: callID, .passBaton(to: agent)))
  }
}

extension HostRequest<FriendAnswer> {
  package static func phone(callID: String, agent: String, prompt: String) -> Self {
    Self(.hostTool(callID: callID, .phone(agent: agent, prompt: prompt)))
  }
}

extension HostRequest<ClientAnswer> {
  /// - Parameter calls: The identities of the calls, at least one.
  package static func client(_ calls: [String]) -> Self {
    Self(.hostTool(callID: calls[0], .client(also: Array(calls.dropFirst()))))
  }
}

extension HostRequest<MCPAnswer> {
  package static func mcp(callID: String, _ request: MCPRequest, window: Int?) -> Self {
    Self(.hostTool(callID: callID, .mcp(request, window: window)))
  }
}

// MARK: Replies

extension AdmissionAnswer: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .admission(let answer) = reply else { return nil }
    self = answer
  }
}

extension AdmittedCalls: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .recorded(let calls) = reply else { return nil }
    self = calls
  }
}

extension Approval: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .approval(let answer) = reply else { return nil }
    self = answer
  }
}

extension BatonAnswer: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .baton(let answer) = reply else { return nil }
    self = answer
  }
}

extension ClientAnswer: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .client(let answer) = reply else { return nil }
    self = answer
  }
}

extension FriendAnswer: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .friend(let answer) = reply else { return nil }
    self = answer
  }
}

extension MCPAnswer: HostReply {
  package init?(_ reply: WorkerReply) {
    guard case .mcp(let answer) = reply else { return nil }
    self = answer
  }
}
