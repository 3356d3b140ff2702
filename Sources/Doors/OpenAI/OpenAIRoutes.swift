import Coordinator
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Transcripts

/// The routes by which OpenAI's clients use agents as models.
struct OpenAIRoutes: Sendable {
  static let models = "/v1/models"
  static let chatCompletions = "/v1/chat/completions"
  static let responses = "/v1/responses"

  let desk: ModelDesk

  var service: any CoordinatorService { desk.service }

  /// Whether OpenAI's clients ask for a path, also one that there is none of here.
  static func owns(_ path: some StringProtocol) -> Bool {
    [models, responses, "/v1/chat", "/v1/completions", "/v1/embeddings"].contains { own in
      path == own || path.hasPrefix(own + "/")
    }
  }

  /// The error for a path or a method that there is none of.
  static func missing(_ request: Request) -> OpenAIError {
    OpenAIError(
      404,
      "not_found",
      "There is no \(request.method.rawValue) \(Excerpt.line(request.uri.path, limit: 100))."
        + " Models answer at \(chatCompletions) and \(responses)."
    )
  }

  static func newRequestID() -> String {
    "req_" + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  func add(to router: Router<DoorContext>) {
    router.get("\(Self.models)") { _, _ in try Response(json: try await list(), in: [:]) }
    // The name of a model may have a slash in it.
    router.get("\(Self.models)/**") { _, context in
      let name = context.parameters.getCatchAll().joined(separator: "/")
      return try Response(json: try await model(name.removingPercentEncoding ?? name), in: [:])
    }
    router.post("\(Self.chatCompletions)") { request, context in
      try await complete(request, context)
    }
    addResponses(to: router)
  }

  // MARK: Models

  private func list() async throws -> JSON {
    let models = try await all().map(\.json)
    return JSON(properties: ["object": "list", "data": JSON(kind: .array(models))])
  }

  private func model(_ name: String) async throws -> JSON {
    guard let model = try await all().first(where: { $0.name == name }) else {
      throw OpenAIError.notFound(
        "model",
        "There is no model '\(Excerpt.line(name, limit: 100))'.",
        param: "model"
      )
    }
    return model.json
  }

  private func all() async throws -> [(name: String, json: JSON)] {
    let created = Int(try await service.status().started.timeIntervalSince1970)
    return ModelName.all(of: try await service.agents()).map { name, agent in
      var fields: [(String, any ConvertibleToGeneratedContent)] = [
        ("id", name.text), ("object", "model"), ("created", created),
        ("owned_by", "orchestrator"), ("description", agent.description),
      ]
      if let size = agent.contextSize { fields.append(("context_length", size)) }
      return (name.text, JSON(fields))
    }
  }

  // MARK: Chat completions

  private func complete(_ request: Request, _ context: DoorContext) async throws -> Response {
    let body = try await request.openAIBody()
    var asked = try ChatCompletionRequest.read(body.readableBytesView)
    asked.readSession(request.headers)
    let answer = try await desk.ask(asked, RequestSource(request, body: body))
    let encoder = ChatCompletionEncoder(
      model: asked.model.text,
      created: Int(Date().timeIntervalSince1970),
      includesUsage: asked.includesUsage
    )
    let writer = AnswerWriter(answer, desk.sessions, encoder)
    return try await respond(writer, context)
  }

  /// Answers with a stream or as a whole, as the client asked.
  func respond<Encoder: AnswerEncoder>(
    _ given: AnswerWriter<Encoder>,
    _ context: DoorContext
  ) async throws -> Response {
    var writer = given
    let answer = writer.answer
    // A client that has gone cancels the turn, also while nothing can be written to it.
    context.channel.closeFuture.whenComplete { [weak pump = answer.pump] _ in pump?.cancel() }
    try await writer.begin()
    if answer.request.isStreaming {
      let started = writer
      return Response(
        status: .ok,
        headers: started.headers(of: "text/event-stream"),
        body: ResponseBody { body in
          var writer = started
          try await writer.stream(to: &body)
        }
      )
    }
    try await writer.complete()
    return try Response(json: writer.encoder.whole, in: writer.headers(of: "application/json"))
  }
}

/// Answers errors at the paths of OpenAI's clients as they read them, and names every answer there.
struct OpenAIMiddleware: RouterMiddleware {
  typealias Context = DoorContext

  func handle(
    _ request: Request,
    context: DoorContext,
    next: @concurrent (Request, DoorContext) async throws -> Response
  ) async throws -> Response {
    guard OpenAIRoutes.owns(request.uri.path) else { return try await next(request, context) }
    let start = ContinuousClock.now
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as HTTPError where [.notFound, .methodNotAllowed].contains(error.status) {
      response = Response(OpenAIRoutes.missing(request))
    } catch {
      response = Response(OpenAIError(error))
    }
    response.headers[.requestID] = OpenAIRoutes.newRequestID()
    response.headers[.processingTime] = "\((ContinuousClock.now - start) / .milliseconds(1))"
    return response
  }
}

extension AnswerWriter {
  fileprivate func headers(of type: String) -> HTTPFields {
    var fields: HTTPFields = [.contentType: type]
    if type == "text/event-stream" {
      fields[.cacheControl] = "no-cache"
      fields[.accelBuffering] = "no"
    }
    // Other names cannot stand in a header.
    if answer.session.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) { fields[.session] = answer.session }
    if let turn { fields[.turn] = "\(turn)" }
    let ignored = answer.request.parameters.ignored
    if !ignored.isEmpty { fields[.ignored] = ignored.joined(separator: ", ") }
    return fields
  }
}

extension ModelRequest {
  /// Reads the session that the header names; what the input of a response follows says more.
  mutating func readSession(_ headers: HTTPFields) {
    if headers[.session] == "-" {
      isStored = false
      return
    }
    switch key {
    case .appending, .following: return
    case .named, .chat, .none: break
    }
    if let session = headers[.session] {
      key = .named(session)
    } else if case .none = key, let chat = headers[.openWebUIChat], !chat.hasPrefix("temporary:") {
      // Two models that are compared in one chat have a session each. The name of a temporary chat
      // is that of its tab, where the next one has it again.
      key = .chat((["owui", chat] + [model.agent].compactMap(\.self)).joined(separator: "-"))
    }
  }
}

extension RequestSource {
  init(_ request: Request, body: ByteBuffer) {
    let key = request.headers[.idempotencyKey]
    self.init(
      key: key.map { String($0.prefix(256)) },
      body: key == nil ? Data() : Data(body.readableBytesView),
      origin: request.headers[.userAgent].map { Excerpt.line($0, limit: 200) }
    )
  }
}

extension Request {
  /// The whole body; its size was limited while it arrived.
  func openAIBody() async throws -> ByteBuffer {
    try await body.collect(upTo: RoutePolicy.openAI.bodyBytes)
  }
}

extension Response {
  init(_ error: OpenAIError) {
    self.init(
      status: .init(code: error.status),
      headers: error.headers,
      body: .init(byteBuffer: ByteBuffer(string: error.body))
    )
  }

  init(json: JSON, in headers: HTTPFields) throws {
    var headers = headers
    headers[.contentType] = "application/json"
    self.init(
      status: .ok,
      headers: headers,
      body: .init(byteBuffer: ByteBuffer(string: json.jsonString))
    )
  }
}
