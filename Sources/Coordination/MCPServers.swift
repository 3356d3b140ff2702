package import Journal
package import Transcripts

/// What Coordination needs of MCP servers; the coordinator provides it.
package protocol MCPServers: Sendable {
  /// Returns whether a person must approve a request first; approval holds for the whole session.
  func needsApproval(_ request: MCPRequest, session: String) async -> Bool

  /// Asks a server, and returns its answer in the length that fits into a window.
  ///
  /// It ends in bounded time, or soon after its task is cancelled.
  ///
  /// - Parameters:
  ///   - window: The size of the window of the model that called, in tokens; `nil` if unknown.
  ///   - isApproved: Whether a person has approved the request just now.
  ///   - caller: Who is told of the call while it goes on.
  func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool,
    caller: MCPCaller
  ) async -> MCPReply
}

/// What came of a request.
package struct MCPReply: Sendable, Equatable {
  package let answer: MCPAnswer
  /// The request to the server that was made last for it; `nil` if none was.
  package let request: ServerCall.Request?

  package init(_ answer: MCPAnswer, request: ServerCall.Request? = nil) {
    (self.answer, self.request) = (answer, request)
  }
}

/// What the server of a call reaches while the call goes on.
package struct MCPCaller: Sendable {
  /// The span of the call, as the `traceparent` header of the W3C's Trace Context has it; `nil` where
  /// there is no trace.
  package let traceparent: String?
  /// Shows how far the call has come.
  package let show: @Sendable (ToolProgress) -> Void
  /// Has a person answer what the server wants to know; it ends with the turn at the latest.
  package let ask: @Sendable (ApprovalForm) async -> FormAnswer

  package init(
    traceparent: String? = nil,
    show: @escaping @Sendable (ToolProgress) -> Void,
    ask: @escaping @Sendable (ApprovalForm) async -> FormAnswer
  ) {
    self.traceparent = traceparent
    (self.show, self.ask) = (show, ask)
  }
}

/// What a person answered to the server of a call.
package enum FormAnswer: Sendable, Equatable {
  /// A JSON object.
  case accepted(String)
  /// The person refused.
  case declined
  /// None was there, answered in time, or decided.
  case cancelled

  init(_ decision: ApprovalDecision) {
    switch (decision.denial, decision.by) {
    case (nil, _): self = .accepted(decision.content ?? "{}")
    case _ where decision.isCancelled == true: self = .cancelled
    case (_, .coordinator), (_, .unanswered): self = .cancelled
    case (_, .chat), (_, .control): self = .declined
    }
  }
}

/// No servers.
package struct NoMCPServers: MCPServers {
  package init() {}

  package func needsApproval(_ request: MCPRequest, session: String) async -> Bool { false }

  package func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool,
    caller: MCPCaller
  ) async -> MCPReply {
    MCPReply(.failed("There are no MCP servers here."))
  }
}
