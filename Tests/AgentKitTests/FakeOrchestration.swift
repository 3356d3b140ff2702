import AgentKit
import Synchronization

/// A stand-in for the process that runs a session, which records requests and answers them.
final class FakeOrchestration: Orchestration {
  struct Asked: Equatable {
    var agent: String
    var prompt: String
    var callID: String
  }

  private let state = Mutex(
    (batons: [String](), asked: [Asked](), requests: [MCPRequest]())
  )
  private let mcpAnswer: MCPAnswer
  private let answer: FriendAnswer
  private let holder: String?
  private let refusal: String?

  init(
    answer: FriendAnswer = .answered("fine"),
    holder: String? = nil,
    refusal: String? = nil,
    mcpAnswer: MCPAnswer = .returned("fine")
  ) {
    self.mcpAnswer = mcpAnswer
    self.answer = answer
    self.holder = holder
    self.refusal = refusal
  }

  var batons: [String] { state.withLock { $0.batons } }
  var asked: [Asked] { state.withLock { $0.asked } }
  var requests: [MCPRequest] { state.withLock { $0.requests } }

  func passBaton(to agent: String) async throws -> BatonAnswer {
    state.withLock { $0.batons.append(agent) }
    return BatonAnswer(holder: holder ?? agent, refusal: refusal)
  }

  func phone(
    _ agent: String,
    with prompt: String,
    for call: Transcript.ToolCall
  ) async throws -> FriendAnswer {
    state.withLock { $0.asked.append(Asked(agent: agent, prompt: prompt, callID: call.id)) }
    return answer
  }

  func ask(_ request: MCPRequest, for call: Transcript.ToolCall) async throws -> MCPAnswer {
    state.withLock { $0.requests.append(request) }
    return mcpAnswer
  }

  var timeLeft: Duration { .zero }

  func note(_ wait: ServerWait) {}
}
