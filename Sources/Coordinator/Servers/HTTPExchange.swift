import CCurl
import Foundation
import MCP
import Synchronization
import Transcripts

/// One request and its response, through libcurl.
///
/// Used by a single thread, except for `cancel`.
final class HTTPExchange: @unchecked Sendable {
  private static let connectMilliseconds = 10_000
  private static let waitMilliseconds: Int32 = 200

  /// What came of a request besides the messages of its response.
  struct Outcome: Sendable {
    /// Why there is no proper response; `nil` if there is one.
    var problem: String?
    /// `0` if there is no response at all.
    var status = 0
  }

  private static let session: StaticString = "Mcp-Session-Id"

  private let url: String
  private let method: String
  private let headers: [String]
  private let body: String
  private let isCancelled = Atomic<Bool>(false)

  init(url: String, method: String = "POST", headers: [String], body: String) {
    (self.url, self.method, self.headers, self.body) = (url, method, headers, body)
  }

  /// Whether no proxy is asked for the server, which it would not reach.
  private static func isOnThisMachine(_ url: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]", "::1"].contains(URL(string: url)?.host())
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Makes the request.
  ///
  /// - Parameter receive: Receives each message of the response, and the session that its head names.
  func run(_ receive: (GeneratedContent, _ session: String?) -> Void) -> Outcome {
    if let missing = ccurl_missing() {
      return Outcome(problem: "libcurl is missing: \(String(cString: missing))")
    }
    guard
      let pointer = ccurl_post(url, body, body.utf8.count, Self.connectMilliseconds)
    else { return Outcome(problem: "the request could not be made") }
    defer { ccurl_close(pointer) }
    if method != "POST" { ccurl_set_method(pointer, method) }
    Self.session.withUTF8Buffer { name in
      // Text that is part of the program lasts, and ends with a zero.
      name.withMemoryRebound(to: CChar.self) { ccurl_keep_header(pointer, $0.baseAddress) }
    }
    if Self.isOnThisMachine(url) { ccurl_pass_no_proxy(pointer) }
    guard headers.allSatisfy({ ccurl_add_header(pointer, $0) }), ccurl_start(pointer) else {
      return Outcome(problem: "the request could not be made")
    }
    let problem = read(pointer) { message in
      let session = String(cString: ccurl_kept_header(pointer))
      receive(message, session.isEmpty ? nil : session)
    }
    return Outcome(problem: problem, status: ccurl_status(pointer))
  }

  /// Reads the response.
  private func read(_ pointer: OpaquePointer, _ receive: (GeneratedContent) -> Void) -> String? {
    var response = Response()
    while !isCancelled.load(ordering: .relaxed) {
      switch ccurl_advance(pointer, Self.waitMilliseconds) {
      case CCURL_BYTES:
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        piece.removeSubrange(ccurl_take(pointer, &piece, piece.count)...)
        let isStream = String(cString: ccurl_content_type(pointer)).hasPrefix("text/event-stream")
        guard response.take(piece, isStream: isStream, receive) else {
          return
            "the response has a message of more than \(JSONRPCLineDecoder.maximumLine >> 20) MiB"
        }
      case CCURL_NOTHING: continue
      case CCURL_DONE: return response.end(status: ccurl_status(pointer), receive)
      default: return String(cString: ccurl_reason(pointer))
      }
    }
    return "it was cancelled"
  }

  /// A response while it is read.
  private struct Response {
    private var events = ServerSentEvents()
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
