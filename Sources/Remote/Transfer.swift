import AgentKit
import CCurl

/// One POST and its response, through libcurl.
///
/// Used by a single thread. Only `wake` may be called by others, hence `@unchecked Sendable`.
final class Transfer: @unchecked Sendable {
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  enum Step {
    case bytes([UInt8])
    /// Nothing arrived within the given time.
    case nothing
    case done
  }

  private static let connectMilliseconds = 10_000
  private static let pieceSize = 64 * 1024

  private let pointer: OpaquePointer
  private let endpoint: Endpoint

  init(_ endpoint: Endpoint, body: String, traceparent: String? = nil) throws(Fault) {
    if let missing = ccurl_missing() {
      throw .invalidRequest("A model behind a server needs libcurl: \(String(cString: missing)).")
    }
    guard
      let pointer = ccurl_post(
        endpoint.address,
        body,
        body.utf8.count,
        Self.connectMilliseconds
      )
    else { throw Self.outOfMemory }
    self.pointer = pointer
    self.endpoint = endpoint
    // From here on `deinit` frees the pointer, even if this throws.
    if endpoint.isOnThisMachine { ccurl_pass_no_proxy(pointer) }
    // A header of the agent's own stays. Another program wrote this one, so it may be anything.
    let isNamed = endpoint.headers.contains { $0.lowercased().hasPrefix("traceparent:") }
    let isClean = traceparent?.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) } ?? false
    let own = isClean && !isNamed ? traceparent.map { ["traceparent: \($0)"] } ?? [] : []
    let headers = endpoint.headers + own
    guard headers.allSatisfy({ ccurl_add_header(pointer, $0) }), ccurl_start(pointer)
    else { throw Self.outOfMemory }
  }

  deinit {
    ccurl_close(pointer)
  }

  /// The status of the response; 0 until its head has arrived.
  var status: Int { ccurl_status(pointer) }
  var contentType: String { String(cString: ccurl_content_type(pointer)) }
  /// The seconds after which the server wants to be asked again; 0 if it does not say.
  var retryAfter: Int64 { ccurl_retry_after(pointer) }

  /// Whether the server says that the same request is not to be repeated.
  var isFinal: Bool { ccurl_is_final(pointer) }

  /// Returns what comes next, waiting at most the given milliseconds.
  ///
  /// - Throws: `TemporaryRefusal` if there may be a connection later, otherwise a `RequestError`.
  func next(milliseconds: Int32) throws -> Step {
    switch ccurl_advance(pointer, milliseconds) {
    case CCURL_BYTES:
      var piece = [UInt8](repeating: 0, count: Self.pieceSize)
      let count = ccurl_take(pointer, &piece, piece.count)
      piece.removeSubrange(count...)
      return .bytes(piece)
    case CCURL_NOTHING: return .nothing
    case CCURL_DONE: return .done
    default: throw fault
    }
  }

  /// Interrupts the wait of `next`.
  func wake() {
    ccurl_wake(pointer)
  }

  private var fault: any Error {
    let reason = endpoint.withoutSecrets(String(cString: ccurl_reason(pointer)))
    let server = endpoint.publicAddress
    let failure = ccurl_failure_of(pointer)
    let fault: Fault =
      switch failure {
      case CCURL_BAD_URL: .invalidRequest("Cannot send a request to \(server): \(reason).")
      case CCURL_NOT_CONNECTED, CCURL_REFUSED: .notConnected("\(server): \(reason)")
      case CCURL_NOT_TRUSTED: .notConnected("\(server) cannot be trusted: \(reason)")
      default: .invalidStreamData("the connection to \(server) broke off: \(reason)")
      }
    return switch failure {
    case CCURL_REFUSED: TemporaryRefusal(fault, "no connection")
    // Some requests are what a server crashes at.
    case CCURL_BROKEN_OFF: TemporaryRefusal(fault, "connection broke off", mayBeOfRequest: true)
    default: fault
    }
  }

  private static var outOfMemory: Fault {
    .invalidRequest("libcurl could not make the request: it is out of memory.")
  }
}
