import Journal
package import Transcripts
import Wire

// Events as other programs read them: each is an object whose `event` key names its kind.

extension TurnEvent: Codable {
  private enum Name: String, Codable {
    case accepted, resumed, workerReplaced, text, reasoned, toolCall, toolOutput, toolProgress
    case approvalAsked, approvalAnswered, clientCalls, clientAnswered, context, batonPassed
    case friendPhoned, friendGone, coreAwaited, memoryAwaited, hostAwaited, serverAwaited
    case said, answered, trouble, ended
  }

  private enum Key: String, CodingKey {
    case event, session, turn, prompt, id, agent, reason, tool, arguments, text, approval, report
    case from, to, pid, run, tokens, seconds, place, cores, wait, calls, progress
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    func put(_ name: Name, _ fields: KeyValuePairs<Key, any Encodable> = [:]) throws {
      try object.encode(name, forKey: .event)
      for (key, value) in fields { try object.encode(value, forKey: key) }
    }
    switch self {
    case .accepted(let turn, let session):
      try put(.accepted, [.session: session, .turn: turn])
    case .resumed(let turn, let session, let prompt):
      try put(.resumed, [.session: session, .prompt: prompt, .turn: turn])
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
      try put(.toolProgress, [.id: id, .agent: agent, .tool: tool, .progress: progress])
    case .approvalAsked(let record): try put(.approvalAsked, [.approval: record])
    case .approvalAnswered(let record): try put(.approvalAnswered, [.approval: record])
    case .clientCalls(let calls): try put(.clientCalls, [.calls: calls.map(CodedCall.init)])
    case .clientAnswered(let turn, let calls):
      try put(.clientAnswered, [.turn: turn, .calls: calls])
    case .context(let agent, let report): try put(.context, [.agent: agent, .report: report])
    case .batonPassed(let from, let to): try put(.batonPassed, [.from: from, .to: to])
    case .friendPhoned(let agent, let pid, let run):
      try put(.friendPhoned, [.agent: agent, .run: run, .pid: pid])
    case .friendGone(let agent, let pid, let run, let tokens, let seconds):
      try put(
        .friendGone,
        [.agent: agent, .run: run, .pid: pid, .tokens: tokens, .seconds: seconds]
      )
    case .coreAwaited(let agent, let place, let cores):
      try put(.coreAwaited, [.agent: agent, .place: place, .cores: cores])
    case .memoryAwaited(let agent, let wait):
      try put(.memoryAwaited, [.agent: agent, .wait: wait])
    case .hostAwaited(let agent, let wait): try put(.hostAwaited, [.agent: agent, .wait: wait])
    case .serverAwaited(let agent, let wait):
      try put(.serverAwaited, [.agent: agent, .wait: wait])
    case .said(let agent, let text): try put(.said, [.agent: agent, .text: text])
    case .answered(let agent, let text): try put(.answered, [.agent: agent, .text: text])
    case .trouble(let problem): try put(.trouble, [.reason: problem])
    case .ended(let summary):
      try put(.ended)
      try summary.encode(to: encoder)
    }
  }

  package init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    func field<Value: Decodable>(_ key: Key) throws -> Value {
      try object.decode(Value.self, forKey: key)
    }
    switch try object.decode(Name.self, forKey: .event) {
    case .accepted: self = .accepted(turn: try field(.turn), conversation: try field(.session))
    case .resumed:
      self = .resumed(
        turn: try field(.turn),
        conversation: try field(.session),
        prompt: try field(.prompt)
      )
    case .workerReplaced:
      self = .workerReplaced(agent: try field(.agent), death: try field(.reason))
    case .text: self = .text(agent: try field(.agent), try TextChange(from: decoder))
    case .reasoned: self = .reasoned(agent: try field(.agent), text: try field(.text))
    case .toolCall:
      self = .toolCall(
        id: try field(.id),
        agent: try field(.agent),
        tool: try field(.tool),
        arguments: try field(.arguments)
      )
    case .toolOutput:
      self = .toolOutput(
        id: try field(.id),
        agent: try field(.agent),
        tool: try field(.tool),
        text: try field(.text)
      )
    case .toolProgress:
      self = .toolProgress(
        id: try field(.id),
        agent: try field(.agent),
        tool: try field(.tool),
        try field(.progress)
      )
    case .approvalAsked: self = .approvalAsked(try field(.approval))
    case .approvalAnswered: self = .approvalAnswered(try field(.approval))
    case .clientCalls:
      let calls: [CodedCall] = try field(.calls)
      self = .clientCalls(try calls.map { try $0.call })
    case .clientAnswered:
      self = .clientAnswered(turn: try field(.turn), calls: try field(.calls))
    case .context: self = .context(agent: try field(.agent), try field(.report))
    case .batonPassed: self = .batonPassed(from: try field(.from), to: try field(.to))
    case .friendPhoned:
      self = .friendPhoned(agent: try field(.agent), pid: try field(.pid), run: try field(.run))
    case .friendGone:
      self = .friendGone(
        agent: try field(.agent),
        pid: try field(.pid),
        run: try field(.run),
        tokens: try field(.tokens),
        seconds: try field(.seconds)
      )
    case .coreAwaited:
      self = .coreAwaited(
        agent: try field(.agent),
        place: try field(.place),
        cores: try field(.cores)
      )
    case .memoryAwaited: self = .memoryAwaited(agent: try field(.agent), try field(.wait))
    case .hostAwaited: self = .hostAwaited(agent: try field(.agent), try field(.wait))
    case .serverAwaited: self = .serverAwaited(agent: try field(.agent), try field(.wait))
    case .said: self = .said(agent: try field(.agent), text: try field(.text))
    case .answered: self = .answered(agent: try field(.agent), text: try field(.text))
    case .trouble: self = .trouble(try field(.reason))
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
