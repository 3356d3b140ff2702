import Coordination
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Coordinator
@testable import Doors
@testable import Journal

@Suite(.timeLimit(.minutes(5))) struct `The routes` {
  /// Sends a request to the routes over a service.
  private func ask(
    _ service: StubService,
    _ method: HTTPRequest.Method,
    _ path: String,
    _ body: String = "",
    headers: HTTPFields = [:]
  ) async throws -> (status: Int, body: String, type: String) {
    let application = Application(router: Routes(service: service).router())
    return try await application.test(.router) { client in
      try await client.execute(
        uri: path,
        method: method,
        headers: headers,
        body: ByteBuffer(string: body)
      ) {
        ($0.status.code, String(buffer: $0.body), $0.headers[.contentType] ?? "")
      }
    }
  }

  private func error(in body: String) throws -> ServiceError {
    let read: ErrorBody = try ServiceJSON.decode(Data(body.utf8))
    return read.error
  }

  @Test(arguments: [
    (#"{"id":7}"#, ErrorCode.invalidRequest), (#"{"id":7,"approved":false}"#, .invalidRequest),
    (#"{"id":7,"deny":"no"}"#, .invalidRequest), (#"{"id":7,"approve":false}"#, .invalidRequest),
    (#"{"id":7,"approve":true,"denial":"no"}"#, .invalidRequest),
    (#"{"id":7,"approve":true,"cancel":true}"#, .invalidRequest),
    (#"{"id":7,"cancel":true,"content":{}}"#, .invalidRequest),
    (#"{"id":7,"approve":"yes"}"#, .invalidRequest), ("7", .invalidRequest),
    // The coordinator's decisions are asked again, so no client may claim to be it.
    (#"{"id":7,"approve":true,"by":"coordinator"}"#, .invalidRequest),
    (#"{"id":7,"denial":"no","by":"coordinator"}"#, .invalidRequest),
    (#"{"id":7,"approve":true,"by":"robot"}"#, .invalidRequest),
    (#"{"id":8,"approve":true}"#, .notFound), (#"{"id":8,"denial":"no","by":"chat"}"#, .notFound),
  ])
  func `make a call only for an explicit approval`(body: String, code: ErrorCode) async throws {
    let answer = try await ask(StubService(), .post, Routes.Path.approvals, body)
    #expect(answer.status == code.httpStatus)
    #expect(try error(in: answer.body).code == code)
  }

  @Test func `answer Prometheus in its text format`() async throws {
    let answer = try await ask(StubService(), .get, Routes.Path.metrics)
    #expect(answer.status == 200)
    #expect(answer.type == "text/plain; version=0.0.4; charset=utf-8")
    #expect(answer.body.hasPrefix("# HELP "))
  }

  @Test func `pass the trace of a prompt on, unless it is too long to be one`() async throws {
    let service = StubService()
    let name = try #require(HTTPField.Name("traceparent"))
    let body = #"{"session":"talk","prompt":"a"}"#
    for header in ["00-0a-b7-01", String(repeating: "0", count: 200)] {
      let answer = try await ask(service, .post, Routes.Path.prompts, body, headers: [name: header])
      #expect(answer.status == 200)
    }
    #expect(service.requests == ["prompt talk: a (00-0a-b7-01)", "prompt talk: a"])
  }

  @Test func `pass a decision on`() async throws {
    let service = StubService()
    for (body, asked) in [
      (#"{"id":7,"approve":true,"by":"control"}"#, "answer 7: yes"),
      (#"{"id":7,"denial":"no"}"#, "answer 7: no"),
      (#"{"id":7,"cancel":true}"#, "answer 7: neither"),
    ] {
      #expect(try await ask(service, .post, Routes.Path.approvals, body).status == 200)
      #expect(service.requests.last == asked)
    }
  }

  @Test func `pass the outputs of a client on, and refuse what is none`() async throws {
    let service = StubService()
    let body = #"{"session":"talk","turn":3,"outputs":[{"callID":"1","text":"seen"}]}"#
    let answer = try await ask(service, .post, Routes.Path.outputs, body)
    #expect(answer.status == 200)
    #expect(service.requests.last == "submit talk 3: 1")
    for (wrong, place) in [
      ("{", "this is not"), (#"{"session":"talk"}"#, "'outputs'"),
      (#"{"session":"talk","outputs":[{"text":"a"}]}"#, "'callID'"),
      (#"{"session":"talk","outputs":[],"output":1}"#, "output"),
    ] {
      let refused = try await ask(service, .post, Routes.Path.outputs, wrong)
      #expect(refused.status == 400)
      #expect(try error(in: refused.body).message.contains(place), "\(refused.body)")
    }
  }

  @Test(arguments: [
    ("{", "this is not"), ("7", "this is not"), (#"{"session":"talk"}"#, "'prompt'"),
    (#"{"session":"talk","prompt":7}"#, "'prompt'"),
    (#"{"session":"talk","prompt":"a","caps":{"rounds":1.5}}"#, "number"),
    (#"{"session":"talk","prompt":"a","caps":{"policy":"maybe"}}"#, "'maybe'"),
  ])
  func `name what is wrong with a prompt`(body: String, place: String) async throws {
    let answer = try await ask(StubService(), .post, Routes.Path.prompts, body)
    #expect(answer.status == 400)
    #expect(try error(in: answer.body).message.contains(place))
  }

  @Test func `list themselves where a path or a method is none of theirs`() async throws {
    for (method, path, code) in [
      (.get, "/v1/nothing", .notFound), (.get, "/page/nothing", .notFound),
      (.post, Routes.Path.status, .methodNotAllowed),
    ] as [(HTTPRequest.Method, String, ErrorCode)] {
      let answer = try await ask(StubService(), method, path)
      #expect(answer.status == code.httpStatus, "\(path)")
      #expect(try error(in: answer.body).code == code)
    }
  }

  @Test func `are those that the list of paths says`() async throws {
    // MCP clients read errors from messages, and not from statuses.
    for (path, methods) in Routes.Path.methods where path != Routes.Path.mcp {
      for method in methods {
        let service = StubService(failing: ServiceError(.busy, "no"))
        let isPost = method == "POST"
        let bodies = [
          Routes.Path.approvals: #"{"id":7,"approve":true}"#,
          Routes.Path.outputs: #"{"session":"talk","outputs":[{"callID":"1","text":"a"}]}"#,
          Routes.Path.forks: #"{"session":"talk","name":"copy"}"#,
          Routes.Path.hosts: #"{"host":"gpu1","action":"drain"}"#,
        ]
        let body = bodies[path] ?? TestDoor.prompt
        let queries = [
          Routes.Path.log: "?process=7", Routes.Path.renderedPrompt: "?process=7",
          Routes.Path.facts: "?session=talk",
          Routes.Path.turn: "?turn=7", Routes.Path.latestTurn: "?session=talk",
        ]
        let query = queries[path] ?? ""
        let answer = try await ask(service, isPost ? .post : .get, path + query, body)
        #expect(answer.status == ErrorCode.busy.httpStatus, "\(method) \(path): \(answer.body)")
        #expect(service.requests.count == 1, "\(method) \(path)")
      }
    }
  }

  @Test(
    arguments: [
      (ConversationError.badImage("a.png", flaw: "it is empty"), 422),
      (ConversationError.promptTooLarge(bytes: 2, limit: 1), 413),
      (ConversationError.tooManyWaiting(16), 429), (ConversationError.noAgents, 503),
      (ConversationError.noSuchAgent("nemo"), 404), (JournalError.full(path: "journal"), 507),
      (JournalError.newer(path: "journal"), 500), (SessionName.Fault.empty, 400),
      (CancellationError(), 503), (CocoaError(.fileNoSuchFile), 500),
    ] as [(any Error, Int)]
  )
  func `have a status for each error, beside its words`(error: any Error, status: Int)
    async throws
  {
    let answer = try await ask(
      StubService(failing: error),
      .post,
      Routes.Path.prompts,
      TestDoor.prompt
    )
    #expect(answer.status == status)
    #expect(try self.error(in: answer.body) == ServiceError(error))
  }

  @Test func `end a stream that fails with the error as its last line`() async throws {
    let turn = [TurnEvent.accepted(turn: 1, conversation: "talk"), .trouble("it is late")]
    let answer = try await ask(
      StubService(turn: turn),
      .post,
      Routes.Path.prompts,
      TestDoor.prompt
    )
    let lines = answer.body.split(separator: "\n")
    #expect(
      lines == [
        #"{"event":"accepted","session":"talk","turn":1}"#,
        #"{"event":"trouble","reason":"it is late"}"#,
      ]
    )
  }

  @Test func `pass queries on as they were meant`() async throws {
    let service = StubService()
    _ = try await ask(service, .get, "\(Routes.Path.events)?session=a%26b%2Bc&since=12")
    _ = try await ask(service, .get, "\(Routes.Path.log)?process=clerk&follow=true")
    _ = try await ask(service, .get, "\(Routes.Path.transcript)?session=caf%C3%A9")
    _ = try await ask(service, .get, "\(Routes.Path.facts)?session=talk&after=7")
    _ = try await ask(service, .get, "\(Routes.Path.renderedPrompt)?process=clerk-1")
    #expect(
      service.requests == [
        "events a&b+c 12", "log clerk true", "transcript café", "facts talk 7",
        "rendered prompt clerk-1",
      ]
    )
    #expect(try await ask(service, .get, Routes.Path.renderedPrompt).status == 400)
    #expect(try await ask(service, .get, Routes.Path.facts).status == 400)
    #expect(try await ask(service, .get, "\(Routes.Path.facts)?session=a&after=x").status == 400)
    #expect(try await ask(service, .get, "\(Routes.Path.events)?since=x").status == 400)
    #expect(try await ask(service, .get, Routes.Path.log).status == 400)
  }
}
