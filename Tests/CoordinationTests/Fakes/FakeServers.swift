import Coordination
import Journal
import Synchronization
import Transcripts

/// MCP servers that answer each request with itself.
final class FakeServers: MCPServers {
  struct Asked: Equatable {
    var request: MCPRequest
    var session: String
    var window: Int?
    var isApproved: Bool
  }

  private struct State {
    var asked: [Asked] = []
    var spans: [String?] = []
    var cancelled = 0
    var answers: [FormAnswer] = []
  }

  /// The request that each call is said to have been.
  static let request = ServerCall.Request(id: 5, version: "2025-11-25")

  private let state = Mutex(State())
  private let needsApproval: Bool
  private let isSilent: Bool
  private let form: ApprovalForm?

  /// - Parameters:
  ///   - isSilent: Whether no request is answered before it is cancelled.
  ///   - form: What they want to know before they answer.
  init(needsApproval: Bool = false, isSilent: Bool = false, form: ApprovalForm? = nil) {
    (self.needsApproval, self.isSilent, self.form) = (needsApproval, isSilent, form)
  }

  var answers: [FormAnswer] { state.withLock { $0.answers } }

  var asked: [Asked] { state.withLock { $0.asked } }
  /// The spans in which they were asked.
  var spans: [String?] { state.withLock { $0.spans } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  func needsApproval(_ request: MCPRequest, session: String) async -> Bool { needsApproval }

  func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool,
    caller: MCPCaller
  ) async -> MCPReply {
    let asked = Asked(request: request, session: session, window: window, isApproved: isApproved)
    state.withLock {
      $0.asked.append(asked)
      $0.spans.append(caller.traceparent)
    }
    if let form {
      caller.show(ToolProgress(done: 1, message: "asking"))
      let answer = await caller.ask(form)
      state.withLock { $0.answers.append(answer) }
    }
    if isSilent {
      do {
        try await Task.sleep(for: .seconds(60))
      } catch {
        state.withLock { $0.cancelled += 1 }
      }
    }
    return MCPReply(.returned("\(request)"), request: Self.request)
  }
}

extension AgentDescription {
  /// An agent that takes tools of the server `git`.
  static func served(_ name: String) -> AgentDescription {
    AgentDescription(
      name: name,
      description: "",
      instructions: "",
      tools: [],
      servers: [MCPSelection(server: "git", include: nil, exclude: [], place: 0)],
      batons: [],
      friends: [],
      mode: .allowed,
      reasoningLevel: nil,
      serverModel: nil,
      hasExit: false,
      permissions: []
    )
  }
}
