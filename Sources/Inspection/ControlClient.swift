import FlyingFox
import FlyingSocks
import Foundation
package import Journal

/// Talks to a coordinator through its socket.
package struct ControlClient: Sendable {
  private let socket: String

  package init(socket: String) {
    self.socket = socket
  }

  /// What the coordinator says of itself; `nil` when none answers.
  /// - Throws: `ControlError.silent` when one runs, but does not answer; `.garbled` when it says what this
  ///   version does not understand.
  package func status() async throws -> CoordinatorStatus? {
    guard FileManager.default.fileExists(atPath: socket) else { return nil }
    do {
      return try await get(ControlPath.status)
    } catch let error as ControlError where error == .silent {
      throw error
    } catch is DecodingError {
      throw ControlError.garbled
    } catch {
      // A socket that nobody serves is one that a killed coordinator left.
      return nil
    }
  }

  package func processes() async throws -> ProcessTree {
    try await get(ControlPath.processes, patience: Patience.long)
  }

  /// The calls that wait for a person.
  package func approvals() async throws -> [ApprovalRecord] {
    try await get(ControlPath.approvals)
  }

  /// Says whether a call may be made.
  /// - Throws: `ControlError.refused` when the call does not wait, or what was said could not be journaled.
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

  /// Sends a prompt, and gives every line of the answer to a closure.
  /// - Throws: `ControlError.refused` when it is not accepted, `.gone` when the coordinator ends before the
  ///   answer does, `.silent` when it does not even say that it is there.
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
      // A long line comes in many pieces, each of which is searched once.
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

  /// - Throws: `ControlError.silent` when no answer comes in so many seconds.
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
  /// It does not do what it was asked to, and says no more.
  case status(Int)
  /// It says why it does not do what it was asked to; of which kind that is the status of HTTP tells.
  case refused(String, status: Int)
  /// There is no agent of the name that a prompt gives.
  case noSuchAgent(String)
  /// It has ended in the middle of an answer.
  case gone
  /// What it said was no answer.
  case garbled
  /// It takes connections, and does not answer.
  case silent
}

extension ControlError {
  /// What an answer means that is none.
  init(_ status: Int, _ body: Data) {
    let reason = String(decoding: body, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    self = reason.isEmpty ? .status(status) : .refused(reason, status: status)
  }

  /// Why a prompt has no answer.
  /// - Parameter status: `nil` where the coordinator has not said it.
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
      "The running coordinator does not respond. If it is suspended, a signal ends it."
    }
  }
}
