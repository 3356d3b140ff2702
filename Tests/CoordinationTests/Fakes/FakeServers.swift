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

  private let state = Mutex((asked: [Asked](), cancelled: 0, answers: [FormAnswer]()))
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
  var cancelled: Int { state.withLock { $0.cancelled } }

  func needsApproval(_ request: MCPRequest, session: String) async -> Bool { needsApproval }

  func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool,
    caller: MCPCaller
  ) async -> MCPAnswer {
    let asked = Asked(request: request, session: session, window: window, isApproved: isApproved)
    state.withLock { $0.asked.append(asked) }
    if let form {
      caller.show(ToolProgress(done: 1, message: "asking"))
      let answer = await caller.ask(form)
      state.withLock { $0.answers.append(answer) }
    }
    if isSilent {
      try? await Task.sleep(for: .seconds(3600))
      state.withLock { $0.cancelled += 1 }
    }
    return .returned("\(request)")
  }
}
