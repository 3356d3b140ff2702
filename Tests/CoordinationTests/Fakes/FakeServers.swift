import Coordination
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

  private let state = Mutex((asked: [Asked](), cancelled: 0))
  private let needsApproval: Bool
  private let isSilent: Bool

  /// - Parameter isSilent: Whether no request is answered before it is cancelled.
  init(needsApproval: Bool = false, isSilent: Bool = false) {
    (self.needsApproval, self.isSilent) = (needsApproval, isSilent)
  }

  var asked: [Asked] { state.withLock { $0.asked } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  func needsApproval(_ request: MCPRequest, session: String) async -> Bool { needsApproval }

  func answer(
    _ request: MCPRequest,
    session: String,
    window: Int?,
    isApproved: Bool
  ) async -> MCPAnswer {
    let asked = Asked(request: request, session: session, window: window, isApproved: isApproved)
    state.withLock { $0.asked.append(asked) }
    if isSilent {
      try? await Task.sleep(for: .seconds(3600))
      state.withLock { $0.cancelled += 1 }
    }
    return .returned("\(request)")
  }
}
