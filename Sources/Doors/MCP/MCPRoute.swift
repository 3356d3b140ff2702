import Coordinator
import Foundation
import HTTPTypes
import Hummingbird
import MCP
import Transcripts

/// `/mcp`: the Model Context Protocol over HTTP, one message a request.
struct MCPRoute: Sendable {
  static let sessionField = "Mcp-Session-Id"

  private let server: AgentServer
  /// The clients that began with a handshake.
  private let sessions = MCPSessions()

  init(_ server: AgentServer) { self.server = server }

  // MARK: Requests

  func post(_ request: Request) async throws -> Response {
    guard request.takesJSONAndEvents else {
      throw ServiceError(
        .notAcceptable,
        "The answer may be application/json or text/event-stream; the request has to accept both."
      )
    }
    let message: JSONRPCMessage
    switch try await request.message() {
    case .message(let read): message = read
    case .unreadable(let refusal): return Self.response(refusal, status: .badRequest)
    }
    let headers = MirroredHeaders(
      version: request.field("MCP-Protocol-Version"),
      method: request.field("Mcp-Method"),
      name: request.field("Mcp-Name")
    )
    if ServerSession.standsAlone(message, headers) { return await answer(message, headers) }
    if case .request(_, let call) = message, call.method == "initialize" {
      return initialize(message, headers)
    }
    guard let id = request.field(Self.sessionField) else { return await answer(message, headers) }
    guard let connection = sessions.connection(id) else { return Self.noSession(message.id) }
    return await Self.response(to: connection.receive(message, headers: headers), statuses: false)
  }

  /// Ends a session and cancels what goes on in it.
  func delete(_ request: Request) -> Response {
    guard let id = request.field(Self.sessionField), let connection = sessions.remove(id) else {
      return Self.noSession(nil)
    }
    connection.close()
    return Response(status: .noContent)
  }

  /// Answers a message that needs no session.
  private func answer(_ message: JSONRPCMessage, _ headers: MirroredHeaders) async -> Response {
    await Self.response(
      to: MCPConnection(server).receive(message, headers: headers),
      statuses: true
    )
  }

  private func initialize(_ message: JSONRPCMessage, _ headers: MirroredHeaders) -> Response {
    let connection = MCPConnection(server)
    guard case .answer(let answer) = connection.receive(message, headers: headers) else {
      return Response(status: .accepted)
    }
    guard case .result = answer else { return Self.response(answer, status: .badRequest) }
    var response = Self.response(answer)
    if let field = HTTPField.Name(Self.sessionField) {
      response.headers[field] = sessions.add(connection)
    }
    return response
  }

  // MARK: Answers

  /// - Parameter statuses: Whether the status says what kind of error it is, as the version without
  ///   a handshake wants it; older clients read an error only from a success.
  private static func response(
    to reception: MCPConnection.Reception,
    statuses: Bool
  ) async -> Response {
    switch reception {
    case .accepted: return Response(status: .accepted)
    case .answer(let answer):
      return response(answer, status: statuses ? status(of: answer) : .ok)
    case .exchange(let messages):
      let events = MCPEvents(messages)
      let first = await events.first()
      if case .element(let answer, _)? = first, answer.isAnswer {
        return response(answer, status: statuses ? status(of: answer) : .ok)
      }
      return Response(
        status: .ok,
        headers: eventFields,
        body: ResponseBody { writer in try await events.write(beginningWith: first, to: &writer) }
      )
    }
  }

  /// A proxy is not to collect events before it passes them on.
  private static var eventFields: HTTPFields {
    var fields: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-cache, no-transform",
    ]
    if let field = HTTPField.Name("X-Accel-Buffering") { fields[field] = "no" }
    return fields
  }

  private static func response(
    _ message: JSONRPCMessage,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(string: message.content.jsonString + "\n"))
    )
  }

  private static func status(of message: JSONRPCMessage) -> HTTPResponse.Status {
    guard case .failure(_, let error) = message else { return .ok }
    return switch error.code {
    case .unknownMethod: .notFound
    case .unreadable, .invalidRequest, .invalidParameters, .headerMismatch,
      .missingClientCapability, .unsupportedVersion:
      .badRequest
    default: .ok
    }
  }

  /// The answer for a session that there is none of, after which a client begins another.
  private static func noSession(_ id: JSONRPCID?) -> Response {
    let error = JSONRPCError(
      .invalidRequest,
      "There is no such session. Send 'initialize' to begin one."
    )
    return response(.failure(id: id, error), status: .notFound)
  }
}

extension JSONRPCMessage {
  /// Whether it ends an exchange.
  var isAnswer: Bool {
    switch self {
    case .result, .failure: true
    case .request, .notification: false
    }
  }

  /// The identifier of a request.
  fileprivate var id: JSONRPCID? {
    if case .request(let id, _) = self { id } else { nil }
  }
}

/// What is read from a body.
private enum Body {
  case message(JSONRPCMessage)
  /// It has no message; this is the answer to it.
  case unreadable(JSONRPCMessage)
}

extension Request {
  /// The value of a field; `nil` if it is absent.
  fileprivate func field(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { headers[$0] }
  }

  /// Whether the client takes both forms of an answer; one that does not say takes any.
  fileprivate var takesJSONAndEvents: Bool {
    guard let accepted = headers[.accept] else { return true }
    let types = accepted.split(separator: ",").map {
      $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
    func takes(_ kind: String, _ subtype: String) -> Bool {
      types.contains { ["\(kind)/\(subtype)", "\(kind)/*", "*/*"].contains($0) }
    }
    return takes("application", "json") && takes("text", "event-stream")
  }

  /// Reads the message in the body; the answer to send instead, if there is none.
  fileprivate func message() async throws -> Body {
    let body = try await body.collect(upTo: ConnectionLimits.user.bodyBytes).readableBytesView
    guard let text = String(validating: body, as: UTF8.self),
      let content = try? GeneratedContent(json: text), content.isComplete
    else {
      return .unreadable(.failure(id: nil, JSONRPCError(.unreadable, "The body is not JSON.")))
    }
    do throws(InvalidMessage) {
      return .message(try JSONRPCMessage(content))
    } catch {
      return .unreadable(ServerSession.refusal(of: error))
    }
  }
}
