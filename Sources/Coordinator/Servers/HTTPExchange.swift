import Curl
import Foundation
import MCP
import Synchronization
import Transcripts

/// One request and its response, through libcurl.
///
/// Used by a single thread, except for `cancel`.
final class HTTPExchange: @unchecked Sendable {
  private static let waitMilliseconds: Int32 = 200

  /// What came of a request besides the messages of its response.
  struct Outcome: Sendable {
    /// Why there is no proper response; `nil` if there is one.
    var problem: String?
    /// `0` if there is no response at all.
    var status = 0
  }

  private let url: String
  private let method: String
  private let headers: [String]
  private let body: String
  private let isCancelled = Atomic<Bool>(false)

  init(url: String, method: String = "POST", headers: [String], body: String) {
    (self.url, self.method, self.headers, self.body) = (url, method, headers, body)
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Makes the request.
  ///
  /// - Parameter receive: Receives each message of the response, and the session that its head names.
  func run(_ receive: (GeneratedContent, _ session: String?) -> Void) -> Outcome {
    let transfer: HTTPTransfer
    do throws(HTTPTransfer.Unavailable) {
      transfer = try HTTPTransfer(
        url,
        method: method,
        headers: headers,
        body: Array(body.utf8),
        isDirect: URL(string: url)?.host().map(HTTPTransfer.isLoopback) ?? false,
        keptHeader: "Mcp-Session-Id"
      )
    } catch {
      return Outcome(problem: "libcurl is needed: \(error.reason)")
    }
    let problem = read(transfer) { message in
      let session = transfer.keptHeader
      receive(message, session.isEmpty ? nil : session)
    }
    return Outcome(problem: problem, status: transfer.status)
  }

  /// Reads the response.
  private func read(_ transfer: HTTPTransfer, _ receive: (GeneratedContent) -> Void) -> String? {
    var response = Response()
    while !isCancelled.load(ordering: .relaxed) {
      switch transfer.next(milliseconds: Self.waitMilliseconds) {
      case .bytes(let bytes):
        let isStream = transfer.contentType.hasPrefix("text/event-stream")
        guard response.take(bytes, isStream: isStream, receive) else {
          return
            "the response has a message of more than \(JSONRPCLineDecoder.maximumLine >> 20) MiB"
        }
      case .nothing: continue
      case .done: return response.end(status: transfer.status, receive)
      case .failed(_, let reason): return reason
      }
    }
    return "it was cancelled"
  }

  /// A response while it is read.
  private struct Response {
    private var events = ServerSentEvents(limit: JSONRPCLineDecoder.maximumLine)
    private var whole: [UInt8] = []
    private var hasMessage = false

    /// - Returns: Whether it is within its bounds.
    mutating func take(
      _ bytes: [UInt8],
      isStream: Bool,
      _ receive: (GeneratedContent) -> Void
    ) -> Bool {
      guard isStream else {
        whole += bytes
        return whole.count <= JSONRPCLineDecoder.maximumLine
      }
      guard let data = try? events.take(bytes) else { return false }
      for event in data { read(event, receive) }
      return true
    }

    /// - Returns: Why the response is none.
    mutating func end(status: Int, _ receive: (GeneratedContent) -> Void) -> String? {
      if !whole.isEmpty { read(whole, receive) }
      // An error of the protocol may come with any status.
      return hasMessage || status == 202 ? nil : "the server answered with the status \(status)"
    }

    private mutating func read(_ bytes: [UInt8], _ receive: (GeneratedContent) -> Void) {
      guard let content = try? GeneratedContent(json: String(decoding: bytes, as: UTF8.self)),
        content.isComplete, content.members != nil
      else { return }
      hasMessage = true
      receive(content)
    }
  }
}
