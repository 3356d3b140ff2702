package import Transcripts

/// What a server says about itself.
package struct ServerIdentity: Sendable, Equatable {
  package var name: String
  package var version: String
  /// What a model should know about all tools together.
  package var instructions: String

  package init(name: String, version: String, instructions: String) {
    self.name = name
    self.version = version
    self.instructions = instructions
  }
}

/// The server's side of one connection, as a value: what a message means, and what is sent.
///
/// It speaks both eras. A request whose `_meta` names the version stands alone; every other one
/// follows the rules of the handshake that came before it. Each request has exactly one answer, or
/// none after it was cancelled.
package struct ServerSession: Sendable {
  /// What to do about a message.
  package enum Step: Sendable, Equatable {
    case send(JSONRPCMessage)
    /// Answer a request; `finish` turns the answer into a message.
    case perform(Running, ServerRequest, RequestContext)
    /// Give up a request; nothing is sent.
    case cancel(Running)
    /// The client has answered a question.
    case answered(question: Int, ElicitationAnswer)
    case nothing
  }

  /// What a request says about its client.
  package struct RequestContext: Sendable, Equatable {
    package let version: ProtocolVersion
    /// Whether the client can show a form to a person.
    package let canElicit: Bool
    /// What the client recognizes reports of progress by; `nil` if it wants none.
    package let progressToken: GeneratedContent?
  }

  /// A request that is being answered.
  ///
  /// After a request was cancelled, the client may use its identifier for another.
  package struct Running: Sendable, Hashable {
    package let id: JSONRPCID
    fileprivate let number: Int
  }

  private struct Request {
    let number: Int
    let context: RequestContext
    var reports = 0
  }

  struct Handshake {
    let version: ProtocolVersion
    let canElicit: Bool
  }

  /// The requests of a connection that are answered at once.
  package static let maximumRequests = 64

  let identity: ServerIdentity
  var handshake: Handshake?
  private var requests: [JSONRPCID: Request] = [:]
  private var lastRequest = 0
  /// The questions to the client that have no answer yet.
  private var questions: Set<Int> = []
  private var lastQuestion = 0

  package init(_ identity: ServerIdentity) { self.identity = identity }

  // MARK: - What comes in

  /// Handles what is not a message.
  package static func refusal(of invalid: InvalidMessage) -> JSONRPCMessage {
    .failure(
      id: invalid.id,
      JSONRPCError(invalid.code, "This is not a message of JSON-RPC 2.0: \(invalid.problem).")
    )
  }

  /// Handles a message.
  /// - Parameter headers: Those of its HTTP request; `nil` on a pipe.
  package mutating func receive(
    _ message: JSONRPCMessage,
    headers: MirroredHeaders? = nil
  ) -> Step {
    switch message {
    case .request(let id, let call):
      do throws(JSONRPCError) {
        return try receive(call, id, headers)
      } catch {
        return .send(.failure(id: id, error))
      }
    case .notification(let call): return receive(call)
    case .result(let id, let content): return answer(id, ElicitationAnswer(content))
    case .failure(let id, _): return id.map { answer($0, .cancelled) } ?? .nothing
    }
  }

  private mutating func receive(
    _ call: JSONRPCCall,
    _ id: JSONRPCID,
    _ headers: MirroredHeaders?
  ) throws(JSONRPCError) -> Step {
    guard requests[id] == nil else {
      throw JSONRPCError(.invalidRequest, "A request with this id is still being answered.")
    }
    guard let envelope = try Envelope(of: call, headers) else { return try handle(call, id) }
    switch call.method {
    case "server/discover": return .send(.result(id: id, discovery))
    // What exists with a handshake only.
    case "initialize", "ping": throw .unknownMethod(call.method)
    default:
      return try begin(
        ServerRequest(call),
        id,
        RequestContext(
          version: envelope.version,
          canElicit: Self.canElicit(envelope.capabilities),
          progressToken: Self.progressToken(of: call)
        )
      )
    }
  }

  /// Handles a request that depends on the handshake, or is it.
  private mutating func handle(
    _ call: JSONRPCCall,
    _ id: JSONRPCID
  ) throws(JSONRPCError) -> Step {
    switch call.method {
    // What exists without a handshake only.
    case Subscription.method: throw .unknownMethod(call.method)
    case "ping": return .send(.result(id: id, .object([])))
    case "initialize": return .send(.result(id: id, try initialize(call)))
    default: break
    }
    guard let handshake else {
      throw JSONRPCError(
        .invalidParameters,
        "Send 'initialize' first, or name the version and the client's capabilities in"
          + " params._meta as \(MetaKey.protocolVersion) and \(MetaKey.clientCapabilities)."
      )
    }
    return try begin(
      ServerRequest(call),
      id,
      RequestContext(
        version: handshake.version,
        canElicit: handshake.canElicit,
        progressToken: Self.progressToken(of: call)
      )
    )
  }

  private mutating func begin(
    _ request: ServerRequest,
    _ id: JSONRPCID,
    _ context: RequestContext
  ) throws(JSONRPCError) -> Step {
    guard requests.count < Self.maximumRequests else { throw .tooManyRequests }
    lastRequest += 1
    requests[id] = Request(number: lastRequest, context: context)
    return .perform(Running(id: id, number: lastRequest), request, context)
  }

  private mutating func receive(_ notification: JSONRPCCall) -> Step {
    guard notification.method == "notifications/cancelled",
      let id = notification.parameters?["requestId"].flatMap({ JSONRPCID($0) }),
      let request = requests.removeValue(forKey: id)
    else { return .nothing }
    return .cancel(Running(id: id, number: request.number))
  }

  private mutating func answer(_ id: JSONRPCID, _ answer: ElicitationAnswer) -> Step {
    guard let question = questions.first(where: { Self.id(of: $0) == id }) else { return .nothing }
    questions.remove(question)
    return .answered(question: question, answer)
  }

  // MARK: - What goes out

  /// Ends a request.
  /// - Returns: Its answer; `nil` if the request was cancelled.
  package mutating func finish(
    _ running: Running,
    with result: Result<ServerReply, JSONRPCError>
  ) -> JSONRPCMessage? {
    let id = running.id
    guard let request = request(running) else { return nil }
    requests[id] = nil
    switch result {
    case .success(.listened):
      let meta = [(MetaKey.subscriptionID, id.content)]
      return .result(id: id, signed(ServerReply.listened.content(for: .latest), .latest, meta))
    case .success(let reply):
      return .result(
        id: id,
        signed(reply.content(for: request.context.version), request.context.version)
      )
    case .failure(let error): return .failure(id: id, error)
    }
  }

  /// Reports that a request goes on.
  /// - Returns: The notification; `nil` if the client wants none, or the request is over.
  package mutating func report(_ words: String, of running: Running) -> JSONRPCMessage? {
    guard var request = request(running), let token = request.context.progressToken else {
      return nil
    }
    // Every report has to be further than the one before; how far it is altogether is unknown.
    request.reports += 1
    requests[running.id] = request
    return .notification(
      JSONRPCCall(
        "notifications/progress",
        .members([
          ("progressToken", token), ("progress", request.reports.json),
          ("message", words.json),
        ])
      )
    )
  }

  /// Tells a client of a change for which a running request of it waits.
  /// - Returns: The notification; `nil` if the request is over.
  package mutating func notify(
    _ method: String,
    _ parameters: [(String, GeneratedContent)],
    of running: Running
  ) -> JSONRPCMessage? {
    guard request(running) != nil else { return nil }
    let meta = GeneratedContent.object([(MetaKey.subscriptionID, running.id.content)])
    return .notification(JSONRPCCall(method, .object(parameters + [("_meta", meta)])))
  }

  /// Asks a person about a running request, through a client with a handshake.
  /// - Returns: The number of the question and the message; `nil` if the request is over.
  package mutating func ask(
    _ form: Elicitation,
    for running: Running
  ) -> (question: Int, message: JSONRPCMessage)? {
    guard let context = request(running)?.context, context.version.hasHandshake,
      context.canElicit
    else { return nil }
    lastQuestion += 1
    questions.insert(lastQuestion)
    let call = JSONRPCCall(Elicitation.method, form.parameters)
    return (lastQuestion, .request(id: Self.id(of: lastQuestion), call))
  }

  /// Takes a question back.
  /// - Returns: The notification; `nil` if it was answered already.
  package mutating func withdraw(question: Int) -> JSONRPCMessage? {
    guard questions.remove(question) != nil else { return nil }
    return .notification(
      JSONRPCCall(
        "notifications/cancelled",
        .members([("requestId", Self.id(of: question).content)])
      )
    )
  }

  private func request(_ running: Running) -> Request? {
    guard let request = requests[running.id], request.number == running.number else { return nil }
    return request
  }

  /// Whether a question waits for its answer.
  package func isOpen(question: Int) -> Bool { questions.contains(question) }

  /// The identifier of a question; a text, so that none is that of a client's request.
  private static func id(of question: Int) -> JSONRPCID { .string("question-\(question)") }
}

extension JSONRPCError {
  package static var tooManyRequests: JSONRPCError {
    JSONRPCError(Code(rawValue: -32000), "Too many requests are in progress.")
  }
}
