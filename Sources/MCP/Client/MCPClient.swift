package import Transcripts

/// The client's side of a connection to a server.
///
/// A pure value: it is told what arrives and which time has passed, and says what is to be sent. It
/// probes with `server/discover`, which older servers do not know, and then begins with `initialize`
/// on the same connection.
package struct MCPClient: Sendable {
  package struct Settings: Sendable, Equatable {
    /// How the connection began the last time; `nil` if that is not known.
    package var era: MCPEra?
    /// How long a server may take to answer the beginning of the connection, in seconds.
    package var startTimeout = 10
    /// How long a call may take without a sign of progress, in seconds.
    package var callTimeout = 60
    /// Whether only one call is made at a time.
    package var isSerial = false

    package init() {}
  }

  package enum Effect: Sendable, Equatable {
    case send(JSONRPCMessage)
    case start(Timer, after: Duration)
    /// The connection has begun.
    case began(MCPSession)
    /// The tools of the server, when the connection begins and whenever they change.
    case listed([MCPListedTool])
    /// The server says how far a call has come.
    case progressed(call: Int, ToolProgress)
    /// The server wants a person to fill in a form during a call; it is told the answer by the number
    /// of the question.
    case asked(call: Int, question: Int, MCPForm)
    /// A call is over, of which this request was the last.
    case finished(call: Int, request: Int, MCPCallOutcome)
    /// The connection is of no use and is to be closed.
    case failed(MCPFault)
  }

  package enum Timer: Sendable, Hashable {
    case probe, start
    /// A listing of the tools, by its number.
    case list(Int)
    /// A call may take no longer without a sign of progress since there were so many.
    case call(id: Int, signs: Int)
  }

  enum Phase: Sendable, Equatable {
    case idle
    case probing(id: Int)
    /// The probe may still be answered; the answer counts if the server refuses to initialize.
    case initializing(id: Int, probe: Int?, discovered: MCPSession?)
    case ready(MCPSession)
    case failed
  }

  static let probePatience = Duration.seconds(2)
  static let listPatience = Duration.seconds(10)

  let settings: Settings
  var phase = Phase.idle
  var listing = ToolListing()
  var calls = OpenCalls()
  var forms = OpenForms()
  /// How often the era was asked for.
  var probes = 0
  private var lastID = 0
  /// What is to be done, in order.
  private var effects: [Effect] = []

  package init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  package var session: MCPSession? { if case .ready(let session) = phase { session } else { nil } }

  // MARK: Inputs

  package mutating func start() -> [Effect] {
    perform { client in
      client.emit(.start(.start, after: .seconds(client.settings.startTimeout)))
      if client.settings.era == .handshake {
        client.initialize(probe: nil)
      } else {
        client.probe()
      }
    }
  }

  package mutating func receive(_ message: JSONRPCMessage) -> [Effect] {
    perform { client in
      switch message {
      case .request(let id, let call): client.answer(call, id: id)
      case .notification(let call): client.note(call)
      case .result(let id, let result): client.receive(.success(result), for: id)
      case .failure(let id, let error):
        if let id { client.receive(.failure(error), for: id) }
      }
    }
  }

  package mutating func fired(_ timer: Timer) -> [Effect] {
    perform { client in
      switch timer {
      case .probe: client.probeTimedOut()
      case .start: client.startTimedOut()
      case .list(let number): client.listTimedOut(number)
      case .call(let id, let signs): client.callTimedOut(id, signs: signs)
      }
    }
  }

  /// Calls a tool, by a number of the caller's by which the outcome is told.
  /// - Parameter traceparent: The span of the call, for the server's own traces.
  package mutating func call(
    _ number: Int,
    tool: String,
    arguments: GeneratedContent,
    traceparent: String? = nil
  ) -> [Effect] {
    let call = MCPToolCall(
      number: number,
      tool: tool,
      arguments: arguments,
      traceparent: traceparent
    )
    return perform { $0.begin(call) }
  }

  /// Tells the server what a person made of a form.
  package mutating func answer(question: Int, _ answer: ElicitationAnswer) -> [Effect] {
    perform { $0.answered(question, answer) }
  }

  /// Gives up a call, of which nothing more is told.
  package mutating func cancel(_ number: Int, reason: String) -> [Effect] {
    perform { $0.end(number, reason: reason) }
  }

  private mutating func perform(_ action: (inout MCPClient) -> Void) -> [Effect] {
    effects = []
    if phase != .failed { action(&self) }
    return effects
  }

  // MARK: Messages

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  mutating func fail(_ fault: MCPFault) {
    phase = .failed
    emit(.failed(fault))
  }

  /// Sends a request, in the form of the connection's era.
  /// - Returns: Its number.
  mutating func request(
    _ method: String,
    _ parameters: [(String, GeneratedContent)] = [],
    meta: [(String, GeneratedContent)] = [],
    version: ProtocolVersion? = nil
  ) -> Int {
    lastID += 1
    var meta = meta
    if version ?? session?.version == .july2026 {
      meta += [
        (MetaKey.protocolVersion, .text(ProtocolVersion.july2026.rawValue)),
        (MetaKey.clientInfo, Self.info), (MetaKey.clientCapabilities, Self.capabilities),
      ]
    }
    let all = parameters + (meta.isEmpty ? [] : [("_meta", .object(meta))])
    let call = JSONRPCCall(method, all.isEmpty ? nil : .object(all))
    emit(.send(.request(id: JSONRPCID(lastID), call)))
    return lastID
  }

  /// The number of the next request.
  var nextID: Int { lastID + 1 }

  mutating func notify(_ method: String, _ parameters: [(String, GeneratedContent)] = []) {
    let call = JSONRPCCall(method, parameters.isEmpty ? nil : .object(parameters))
    emit(.send(.notification(call)))
  }

  /// What servers may ask for: forms that a person fills in.
  static let capabilities = GeneratedContent.object([
    ("elicitation", .object([("form", .object([]))]))
  ])

  static let info = GeneratedContent.object([
    ("name", .text("orchestrator")), ("version", .text("1")),
  ])

  /// Answers a request of the server: few are served, but none may be left without an answer.
  private mutating func answer(_ call: JSONRPCCall, id: JSONRPCID) {
    switch call.method {
    case "ping": emit(.send(.result(id: id, .object([]))))
    case Elicitation.method: elicit(call.parameters, id: id)
    default:
      let error = JSONRPCError(.unknownMethod, "'\(call.method)' is not supported")
      emit(.send(.failure(id: id, error)))
    }
  }

  private mutating func note(_ call: JSONRPCCall) {
    switch call.method {
    case "notifications/tools/list_changed": toolsChanged()
    case "notifications/progress": showProgress(call.parameters)
    default: break
    }
  }

  private mutating func receive(_ answer: Result<GeneratedContent, JSONRPCError>, for id: JSONRPCID)
  {
    // Only what was sent is an answer to it: a number, in these digits.
    guard case .number(let digits) = id, let id = Int(digits), JSONRPCID(id) == .number(digits)
    else { return }
    if receiveBeginning(answer, for: id) { return }
    if listing.id == id { return receiveList(answer) }
    receiveCall(answer, for: id)
  }
}

extension GeneratedContent {
  package static func text(_ text: String) -> GeneratedContent {
    GeneratedContent(kind: .string(text))
  }
}
