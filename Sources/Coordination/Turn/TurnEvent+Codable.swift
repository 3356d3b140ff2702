import Journal
package import Transcripts
import Wire

// Events as other programs read them: each is an object whose `event` key names its kind.

extension TurnEvent: Codable {
  private enum Name: String, Codable {
    case accepted, resumed, workerReplaced, text, reasoned, toolCall, toolOutput, toolProgress
    case approvalAsked
    case approvalAnswered, clientCalls, clientAnswered, context, batonPassed, friendPhoned,
      friendGone, coreAwaited
    case memoryAwaited, hostAwaited, serverAwaited, said, answered, trouble, ended
  }

  private enum Key: String, CodingKey {
    case event, session, turn, prompt, id, agent, reason, tool, arguments, text, approval, report
    case from, to, pid, run, tokens, seconds, place, cores, wait, calls, progress
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    func put(_ name: Name, _ texts: [Key: String] = [:]) throws {
      try fields.encode(name, forKey: .event)
      for (key, text) in texts { try fields.encode(text, forKey: key) }
    }
    switch self {
    case .accepted(let turn, let session):
      try put(.accepted, [.session: session])
      try fields.encode(turn, forKey: .turn)
    case .resumed(let turn, let session, let prompt):
      try put(.resumed, [.session: session, .prompt: prompt])
      try fields.encode(turn, forKey: .turn)
    case .workerReplaced(let agent, let death):
      try put(.workerReplaced, [.agent: agent, .reason: death])
    case .text(let agent, let change):
      try put(.text, [.agent: agent])
      try change.encode(to: encoder)
    case .reasoned(let agent, let text): try put(.reasoned, [.agent: agent, .text: text])
    case .toolCall(let id, let agent, let tool, let arguments):
      try put(.toolCall, [.id: id, .agent: agent, .tool: tool, .arguments: arguments])
    case .toolOutput(let id, let agent, let tool, let text):
      try put(.toolOutput, [.id: id, .agent: agent, .tool: tool, .text: text])
    case .toolProgress(let id, let agent, let tool, let progress):
      try put(.toolProgress, [.id: id, .agent: agent, .tool: tool])
      try fields.encode(progress, forKey: .progress)
    case .approvalAsked(let record):
      try put(.approvalAsked)
      try fields.encode(record, forKey: .approval)
    case .approvalAnswered(let record):
      try put(.approvalAnswered)
      try fields.encode(record, forKey: .approval)
    case .clientCalls(let calls):
      try put(.clientCalls)
      try fields.encode(calls.map(CodedCall.init), forKey: .calls)
    case .clientAnswered(let turn, let calls):
      try put(.clientAnswered)
      try fields.encode(turn, forKey: .turn)
      try fields.encode(calls, forKey: .calls)
    case .context(let agent, let report):
      try put(.context, [.agent: agent])
      try fields.encode(report, forKey: .report)
    case .batonPassed(let from, let to): try put(.batonPassed, [.from: from, .to: to])
    case .friendPhoned(let agent, let pid, let run):
      try put(.friendPhoned, [.agent: agent, .run: run])
      try fields.encode(pid, forKey: .pid)
    case .friendGone(let agent, let pid, let run, let tokens, let seconds):
      try put(.friendGone, [.agent: agent, .run: run])
      try fields.encode(pid, forKey: .pid)
      try fields.encode(tokens, forKey: .tokens)
      try fields.encode(seconds, forKey: .seconds)
    case .coreAwaited(let agent, let place, let cores):
      try put(.coreAwaited, [.agent: agent])
      try fields.encode(place, forKey: .place)
      try fields.encode(cores, forKey: .cores)
    case .memoryAwaited(let agent, let wait):
      try put(.memoryAwaited, [.agent: agent])
      try fields.encode(wait, forKey: .wait)
    case .hostAwaited(let agent, let wait):
      try put(.hostAwaited, [.agent: agent])
      try fields.encode(wait, forKey: .wait)
    case .serverAwaited(let agent, let wait):
      try put(.serverAwaited, [.agent: agent])
      try fields.encode(wait, forKey: .wait)
    case .said(let agent, let text): try put(.said, [.agent: agent, .text: text])
    case .answered(let agent, let text): try put(.answered, [.agent: agent, .text: text])
    case .trouble(let problem): try put(.trouble, [.reason: problem])
    case .ended(let summary):
      try put(.ended)
      try summary.encode(to: encoder)
    }
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func text(_ key: Key) throws -> String { try fields.decode(String.self, forKey: key) }
    func int(_ key: Key) throws -> Int { try fields.decode(Int.self, forKey: key) }
    func pid() throws -> Int32 { try fields.decode(Int32.self, forKey: .pid) }
    func turn() throws -> Int64 { try fields.decode(Int64.self, forKey: .turn) }
    func approval() throws -> ApprovalRecord {
      try fields.decode(ApprovalRecord.self, forKey: .approval)
    }
    switch try fields.decode(Name.self, forKey: .event) {
    case .accepted: self = .accepted(turn: try turn(), conversation: try text(.session))
    case .resumed:
      self = .resumed(
        turn: try turn(),
        conversation: try text(.session),
        prompt: try text(.prompt)
      )
    case .workerReplaced:
      self = .workerReplaced(agent: try text(.agent), death: try text(.reason))
    case .text: self = .text(agent: try text(.agent), try TextChange(from: decoder))
    case .reasoned: self = .reasoned(agent: try text(.agent), text: try text(.text))
    case .toolCall:
      self = .toolCall(
        id: try text(.id),
        agent: try text(.agent),
        tool: try text(.tool),
        arguments: try text(.arguments)
      )
    case .toolOutput:
      self = .toolOutput(
        id: try text(.id),
        agent: try text(.agent),
        tool: try text(.tool),
        text: try text(.text)
      )
    case .toolProgress:
      self = .toolProgress(
        id: try text(.id),
        agent: try text(.agent),
        tool: try text(.tool),
        try fields.decode(ToolProgress.self, forKey: .progress)
      )
    case .approvalAsked: self = .approvalAsked(try approval())
    case .approvalAnswered: self = .approvalAnswered(try approval())
    case .clientCalls:
      self = .clientCalls(try fields.decode([CodedCall].self, forKey: .calls).map { try $0.call })
    case .clientAnswered:
      self = .clientAnswered(
        turn: try turn(),
        calls: try fields.decode([String].self, forKey: .calls)
      )
    case .context:
      let report = try fields.decode(ContextReport.self, forKey: .report)
      self = .context(agent: try text(.agent), report)
    case .batonPassed: self = .batonPassed(from: try text(.from), to: try text(.to))
    case .friendPhoned:
      self = .friendPhoned(agent: try text(.agent), pid: try pid(), run: try text(.run))
    case .friendGone:
      self = .friendGone(
        agent: try text(.agent),
        pid: try pid(),
        run: try text(.run),
        tokens: try int(.tokens),
        seconds: try fields.decode(Double.self, forKey: .seconds)
      )
    case .coreAwaited:
      self = .coreAwaited(
        agent: try text(.agent),
        place: try int(.place),
        cores: try int(.cores)
      )
    case .hostAwaited:
      let wait = try fields.decode(HostWait.self, forKey: .wait)
      self = .hostAwaited(agent: try text(.agent), wait)
    case .memoryAwaited:
      let wait = try fields.decode(LaunchWait.self, forKey: .wait)
      self = .memoryAwaited(agent: try text(.agent), wait)
    case .serverAwaited:
      let wait = try fields.decode(ServerWait.self, forKey: .wait)
      self = .serverAwaited(agent: try text(.agent), wait)
    case .said: self = .said(agent: try text(.agent), text: try text(.text))
    case .answered: self = .answered(agent: try text(.agent), text: try text(.text))
    case .trouble: self = .trouble(try text(.reason))
    case .ended: self = .ended(try TurnSummary(from: decoder))
    }
  }
}

/// A call as it is shown to those who watch; its arguments are JSON, with all digits.
private struct CodedCall: Codable {
  private var id: String
  private var tool: String
  private var arguments: String

  init(_ call: Transcript.ToolCall) {
    (id, tool, arguments) = (call.id, call.toolName, call.arguments.jsonString)
  }

  var call: Transcript.ToolCall {
    get throws {
      .init(id: id, toolName: tool, arguments: try GeneratedContent(json: arguments))
    }
  }
}

extension TurnSummary: Codable {
  private enum Key: String, CodingKey {
    case turn, exit, reason, holder, answer, usage, seconds
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(turn, forKey: .turn)
    try fields.encode(exit.name, forKey: .exit)
    try fields.encodeIfPresent(exit.reason, forKey: .reason)
    try fields.encode(holder, forKey: .holder)
    try fields.encodeIfPresent(answer, forKey: .answer)
    try fields.encode(usage, forKey: .usage)
    try fields.encode(seconds, forKey: .seconds)
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    turn = try fields.decode(Int64.self, forKey: .turn)
    let reason = try fields.decodeIfPresent(String.self, forKey: .reason)
    exit = TurnExit(try fields.decode(TurnExit.Name.self, forKey: .exit), reason: reason ?? "")
    holder = try fields.decode(String.self, forKey: .holder)
    answer = try fields.decodeIfPresent(String.self, forKey: .answer)
    usage = try fields.decode(RequestUsage.self, forKey: .usage)
    seconds = try fields.decode(Double.self, forKey: .seconds)
  }
}

extension TurnExit {
  /// The kind of an exit.
  package enum Name: String, Codable, Sendable {
    case answered, modeChanged, finalAnswer, cap, cancelled, contextSizeExceeded, refused, failed
  }

  package var name: Name {
    switch self {
    case .answered: .answered
    case .modeChanged: .modeChanged
    case .finalAnswer: .finalAnswer
    case .cap: .cap
    case .cancelled: .cancelled
    case .contextSizeExceeded: .contextSizeExceeded
    case .refused: .refused
    case .failed: .failed
    }
  }

  /// The cap that was reached, or the reason why there is no answer.
  package var reason: String? {
    switch self {
    case .cap(let reason), .contextSizeExceeded(let reason), .refused(let reason),
      .failed(let reason):
      reason
    case .answered, .modeChanged, .finalAnswer, .cancelled: nil
    }
  }

  fileprivate init(_ name: Name, reason: String) {
    self =
      switch name {
      case .answered: .answered
      case .modeChanged: .modeChanged
      case .finalAnswer: .finalAnswer
      case .cap: .cap(reason)
      case .cancelled: .cancelled
      case .contextSizeExceeded: .contextSizeExceeded(reason)
      case .refused: .refused(reason)
      case .failed: .failed(reason)
      }
  }
}
