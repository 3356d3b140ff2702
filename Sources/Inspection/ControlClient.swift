import FlyingFox
import FlyingSocks
import Foundation
package import Journal

/// A client of a coordinator, connected through its socket.
package struct ControlClient: Sendable {
  private let socket: String

  package init(socket: String) {
    self.socket = socket
  }

  /// Returns the coordinator's status; `nil` when none answers.
  /// - Throws: `ControlError.silent` when one runs but does not answer; `.garbled` when this
  ///   version does not understand the answer.
  package func status() async throws -> CoordinatorStatus? {
    guard FileManager.default.fileExists(atPath: socket) else { return nil }
    do {
      return try await get(ControlPath.status)
    } catch let error as ControlError where error == .silent {
      throw error
    } catch is DecodingError {
      throw ControlError.garbled
    } catch {
      // A socket that nobody serves was left by a killed coordinator.
      return nil
    }
  }

  package func processes() async throws -> ProcessTree {
    try await get(ControlPath.processes, patience: Patience.long)
  }

  /// Returns the calls that wait for a person.
  package func approvals() async throws -> [ApprovalRecord] {
    try await get(ControlPath.approvals)
  }

  /// Sends a decision about a call.
  /// - Throws: `ControlError.refused` when the call does not wait or journaling failed.
  @discardableResult
  package func answer(_ answer: ApprovalAnswer) async throws -> ApprovalRecord {
    let (status, body) = try await send(
      request(.POST, ControlPath.approvals, body: try ControlJSON.encode(answer)),
      patience: Patience.long
    )
    guard status == .ok else { throw ControlError(status.code, body) }
    return try ControlJSON.decode(body)
  }

  /// Asks the coordinator to end.
  package func stop() async throws {
    _ = try await send(request(.POST, ControlPath.stop), patience: Patience.long)
  }

  /// Sends a prompt and passes every line of the answer to a closure.
  /// - Throws: `ControlError.refused` when the prompt is not accepted, `.gone` when the coordinator
  ///   ends before the answer does, `.silent` when it does not respond at all.
  package func send(
    _ prompt: PromptRequest,
    onLine: (PromptLine) -> Void
  ) async throws {
    do {
      try await exchange(prompt, onLine: onLine)
    } catch is SocketError {
      throw ControlError.gone
    }
  }

  private func exchange(
    _ prompt: PromptRequest,
    onLine: (PromptLine) -> Void
  ) async throws {
    let body = try ControlJSON.encode(prompt)
    var reply = try await StreamedReply.post(body, to: ControlPath.prompts, of: socket)
    defer { reply.close() }
    guard reply.status == HTTPStatusCode.ok.code else {
      let error = ControlError(reply.status, try await reply.rest())
      guard case .refused(let reason, let status) = error else { throw error }
      throw ControlError(ofPrompt: reason, status: status)
    }
    var (rest, searched) = (Data(), 0)
    while let bytes = try await reply.next() {
      rest += bytes
      // A long line arrives in many pieces, each of which is searched only once.
      while let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        guard let line: PromptLine = try? ControlJSON.decode(Data(rest[..<end])) else {
          throw ControlError.garbled
        }
        rest = Data(rest[(end + 1)...])
        searched = 0
        onLine(line)
      }
      searched = rest.count
    }
  }

  private func get<Value: Decodable & Sendable>(
    _ path: String,
    patience: Int = Patience.short
  ) async throws -> Value {
    let (status, body) = try await send(request(.GET, path), patience: patience)
    guard status == .ok else { throw ControlError(status.code, body) }
    return try ControlJSON.decode(body)
  }

  /// Sends a request.
  /// - Throws: `ControlError.silent` when no answer comes within the given seconds.
  private func send(
    _ request: HTTPRequest,
    patience: Int
  ) async throws -> (status: HTTPStatusCode, body: Data) {
    try await Patience.wait(patience) {
      var client = HTTPClient()
      let response = try await client.sendHTTPRequest(request, to: .unix(path: socket))
      return (response.statusCode, try await response.bodyData)
    }
  }

  private func request(_ method: HTTPMethod, _ path: String, body: Data = Data()) -> HTTPRequest {
    HTTPRequest(
      method: method,
      version: .http11,
      path: path,
      query: [],
      headers: [.host: "orchestrator"],
      body: body
    )
  }
}

package enum ControlError: Error, Equatable, Sendable {
  /// It refused without giving a reason.
  case status(Int)
  /// It refused with a reason; the HTTP status gives the kind.
  case refused(String, status: Int)
  /// The agent named by a prompt does not exist.
  case noSuchAgent(String)
  /// It ended in the middle of an answer.
  case gone
  /// It sent something that is not a valid answer.
  case garbled
  /// It accepts connections but does not answer.
  case silent
}

extension ControlError {
  /// Interprets a response that reports a failure.
  init(_ status: Int, _ body: Data) {
    let reason = String(decoding: body, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    self = reason.isEmpty ? .status(status) : .refused(reason, status: status)
  }

  /// Explains why a prompt was not answered.
  /// - Parameter status: `nil` when the coordinator did not say.
  package init(ofPrompt reason: String, status: Int?) {
    // Nothing else that a prompt names can be missing.
    self =
      status == HTTPStatusCode.notFound.code
      ? .noSuchAgent(reason)
      : .refused(reason, status: status ?? HTTPStatusCode.internalServerError.code)
  }
}

extension ControlError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .status(let code): "The coordinator answered with HTTP status \(code)."
    case .refused(let reason, _), .noSuchAgent(let reason): reason
    case .garbled: "The coordinator's response cannot be read. It may be of another version."
    case .gone: "The coordinator stopped before it answered."
    case .silent:
      "The running coordinator does not respond. If it is suspended, 'kill -CONT' resumes it and"
        + " 'kill -KILL' ends it."
    }
  }
}
