import Coordination
import Coordinator
import Foundation
import Hummingbird

/// The routes over a service: what one of its clients can do, all can.
struct Routes: Sendable {
  let service: any CoordinatorService
  private let page: Page
  private let mcp: MCPRoute
  private let models: OpenAIRoutes
  private let facts: FactLines

  init(
    service: any CoordinatorService,
    page: Page = Page(),
    modelSessions: ModelSessions = ModelSessions()
  ) {
    self.service = service
    self.page = page
    mcp = MCPRoute(AgentServer { service })
    facts = FactLines(service)
    models = OpenAIRoutes(desk: ModelDesk(service: service, sessions: modelSessions))
  }

  enum Path {
    static let status = "/v1/status"
    static let processes = "/v1/processes"
    static let agents = "/v1/agents"
    static let hosts = "/v1/hosts"
    static let prompts = "/v1/prompts"
    static let outputs = "/v1/outputs"
    static let sessions = "/v1/sessions"
    static let opening = "/v1/sessions/open"
    static let resumption = "/v1/sessions/resume"
    static let cancellation = "/v1/sessions/cancel"
    static let forks = "/v1/sessions/fork"
    static let deletion = "/v1/sessions/delete"
    static let transcript = "/v1/transcript"
    static let facts = "/v1/facts"
    static let turn = "/v1/turn"
    static let latestTurn = "/v1/turn/latest"
    static let runs = "/v1/runs"
    static let log = "/v1/log"
    static let renderedPrompt = "/v1/log/prompt"
    static let events = "/v1/events"
    static let approvals = "/v1/approvals"
    static let stop = "/v1/stop"
    static let mcp = "/mcp"
    static let metrics = "/metrics"

    static let methods = [
      status: ["GET"], processes: ["GET"], agents: ["GET"], prompts: ["POST"],
      outputs: ["POST"], sessions: ["GET"],
      opening: ["POST"], resumption: ["POST"], cancellation: ["POST"], forks: ["POST"],
      deletion: ["POST"], transcript: ["GET"], turn: ["GET"], latestTurn: ["GET"],
      facts: ["GET"], runs: ["GET"], log: ["GET"], renderedPrompt: ["GET"], events: ["GET"],
      approvals: ["GET", "POST"], hosts: ["GET", "POST"], stop: ["POST"], mcp: ["DELETE", "POST"],
      metrics: ["GET"],
    ]
  }

  func router() -> Router<DoorContext> {
    let router = Router(context: DoorContext.self)
    router.add(middleware: ErrorMiddleware())
    router.add(middleware: OpenAIMiddleware())
    addReading(to: router)
    addActing(to: router)
    page.addRoutes(to: router)
    router.post("\(Path.mcp)") { request, _ in try await mcp.post(request) }
    router.delete("\(Path.mcp)") { request, _ in mcp.delete(request) }
    models.add(to: router)
    return router
  }

  private func addReading(to router: Router<DoorContext>) {
    router.get("\(Path.status)") { _, _ in try Response(json: try await service.status()) }
    router.get("\(Path.processes)") { _, _ in try Response(json: try await service.processes()) }
    router.get("\(Path.agents)") { _, _ in try Response(json: try await service.agents()) }
    router.get("\(Path.hosts)") { _, _ in try Response(json: try await service.hosts()) }
    router.get("\(Path.sessions)") { _, _ in try Response(json: try await service.sessions()) }
    router.get("\(Path.runs)") { _, _ in try Response(json: try await service.runs()) }
    router.get("\(Path.metrics)") { _, _ in Response(metrics: try await service.metrics()) }
    router.get("\(Path.approvals)") { _, _ in try Response(json: try await service.approvals()) }
    router.get("\(Path.transcript)") { request, _ in
      try Response(json: try await service.transcript(of: request.query("session")))
    }
    router.get("\(Path.latestTurn)") { request, _ in
      try Response(json: try await service.latestTurn(of: request.query("session") ?? ""))
    }
    router.get("\(Path.turn)") { request, _ in
      guard let turn = Int64(request.query("turn") ?? "") else {
        throw ServiceError(.invalidRequest, "The query 'turn' is missing, or is not a number.")
      }
      return try Response(json: try await service.turn(turn))
    }
    router.get("\(Path.facts)") { request, _ in
      let session = try request.required("session")
      let place = try request.number("after") ?? 0
      return try Response(json: try await service.facts(of: session, after: place))
    }
    router.get("\(Path.log)") { request, _ in
      let process = try request.required("process")
      let isFollowing = request.query("follow") == "true"
      return Self.lines(of: try await service.log(of: process, following: isFollowing))
    }
    router.get("\(Path.renderedPrompt)") { request, _ in
      try Response(json: try await service.renderedPrompt(of: try request.required("process")))
    }
    router.get("\(Path.events)") { request, _ in
      let followed = request.query("facts")
      let events = try await service.events(
        of: request.query("session"),
        since: try request.number("since"),
        // Facts say the same.
        includesEntries: followed == nil && request.query("entries") != "false"
      )
      guard let followed else { return Self.lines(of: events) }
      let place = try request.number("after") ?? 0
      let session = FactLines.Following(lines: facts, session: followed, place: place)
      return Self.lines { LineWriter(events, session) }
    }
  }

  private func addActing(to router: Router<DoorContext>) {
    router.post("\(Path.prompts)") { request, _ in
      var prompt = try PromptRequest.read(try await request.body())
      request.passTrace(to: &prompt)
      return Self.lines(of: try await service.prompt(prompt))
    }
    router.post("\(Path.outputs)") { request, _ in
      Self.lines(of: try await service.submit(try .read(try await request.body())))
    }
    router.post("\(Path.resumption)") { request, _ in
      Self.lines(of: try await service.resume(try await request.decoded()))
    }
    router.post("\(Path.opening)") { request, _ in
      try Response(json: try await service.open(try await request.decoded()))
    }
    router.post("\(Path.cancellation)") { request, _ in
      let session: SessionRequest = try await request.decoded()
      try await service.cancel(session: session.session)
      return Response(status: .accepted)
    }
    router.post("\(Path.forks)") { request, _ in
      let fork: ForkRequest = try await request.decoded("A fork", with: "'session' and 'name'")
      return try Response(json: try await service.fork(fork))
    }
    router.post("\(Path.deletion)") { request, _ in
      let session: SessionRequest = try await request.decoded()
      try await service.delete(session: session.session)
      return Response(status: .ok)
    }
    router.post("\(Path.approvals)") { request, _ in
      try Response(json: try await service.answer(try .read(try await request.body())))
    }
    router.post("\(Path.hosts)") { request, _ in
      let change: HostChange = try await request.decoded(
        "A change of a host",
        with: "'host' and 'action', which is start, drain or stop"
      )
      try await service.change(change)
      return Response(status: .accepted)
    }
    router.post("\(Path.stop)") { _, _ in
      try await service.stop()
      return Response(status: .accepted)
    }
  }

  /// Answers with a stream of JSON, one object a line; an error is the last of them.
  private static func lines<Element: Encodable & Sendable>(
    of events: EventStream<Element>
  ) -> Response {
    lines { LineWriter(events) }
  }

  private static func lines<Element>(
    _ lines: @escaping @Sendable () -> LineWriter<Element>
  ) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody { writer in try await lines().write(to: &writer) }
    )
  }

  /// The error for a path or a method that there is none of.
  static func missing(_ request: Request) -> ServiceError {
    let path = request.uri.path
    guard let methods = Path.methods[path] else {
      let paths = Path.methods.keys.sorted().joined(separator: ", ")
      return ServiceError(.notFound, "There is no \(path). Available paths: \(paths).")
    }
    let words = methods.joined(separator: " or ")
    return ServiceError(.methodNotAllowed, "\(path) only accepts \(words).")
  }
}

extension Request {
  /// The whole body; its size was limited while it arrived.
  fileprivate func body() async throws -> Data {
    Data(try await body.collect(upTo: ConnectionLimits.user.bodyBytes).readableBytesView)
  }

  /// - Parameters:
  ///   - kind: What the body should be, for the error.
  ///   - names: The fields that it must have.
  func decoded<Value: Decodable>(
    _ kind: String = "A session",
    with names: String = "'session'"
  ) async throws -> Value {
    do {
      return try ServiceJSON.decode(try await body())
    } catch let error as DecodingError {
      throw ServiceError(.invalidRequest, "\(kind) is JSON with \(names). \(error)")
    }
  }

  fileprivate func query(_ name: String) -> String? {
    uri.queryParameters[Substring(name)].map(String.init)
  }

  /// The number in a query; `nil` for none.
  fileprivate func number(_ name: String) throws(ServiceError) -> Int64? {
    guard let text = query(name) else { return nil }
    guard let number = Int64(text) else {
      throw ServiceError(.invalidRequest, "'\(name)' is not a number.")
    }
    return number
  }

  fileprivate func required(_ name: String) throws(ServiceError) -> String {
    guard let value = query(name) else {
      throw ServiceError(.invalidRequest, "The query '\(name)' is missing.")
    }
    return value
  }
}
