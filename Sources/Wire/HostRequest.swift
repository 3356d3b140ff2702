package import Transcripts

/// A request of a worker, together with the type of its one reply.
package struct HostRequest<Reply: Sendable>: Sendable {
  package let message: WorkerRequest

  private init(_ message: WorkerRequest) {
    self.message = message
  }
}

extension HostRequest<AdmissionAnswer> {
  package static func admission(_ purpose: RequestPurpose) -> Self { Self(.admission(purpose)) }
}

/// What a worker may do once its entries are on disk.
package struct RecordAnswer: Sendable {
  package let calls: AdmittedCalls
  package let admission: AdmissionAnswer?
}

extension HostRequest<RecordAnswer> {
  package static func record(
    _ entries: [RawEntry],
    _ usage: RequestUsage?,
    then purpose: RequestPurpose?
  ) -> Self {
    Self(.record(entries, usage, then: purpose))
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

extension WorkerReply {
  /// The answer, whose type tells what kind of request was answered.
  package var answer: any Sendable {
    switch self {
    case .admission(let answer): answer
    case .recorded(let calls, let admission): RecordAnswer(calls: calls, admission: admission)
    case .approval(let answer): answer
    case .baton(let answer): answer
    case .friend(let answer): answer
    case .mcp(let answer): answer
    case .client(let answer): answer
    }
  }
}
