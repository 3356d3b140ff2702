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

  init(_ endpoint: Endpoint, body: String) throws(Fault) {
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
    guard endpoint.headers.allSatisfy({ ccurl_add_header(pointer, $0) }), ccurl_start(pointer)
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

  /// Returns what comes next, waiting at most the given milliseconds.
  func next(milliseconds: Int32) throws(Fault) -> Step {
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

  private var fault: Fault {
    let reason = endpoint.withoutSecrets(String(cString: ccurl_reason(pointer)))
    let server = endpoint.publicAddress
    return switch ccurl_failure_of(pointer) {
    case CCURL_BAD_URL: .invalidRequest("Cannot send a request to \(server): \(reason).")
    case CCURL_NOT_CONNECTED: .notConnected("\(server): \(reason)")
    case CCURL_NOT_TRUSTED: .notConnected("\(server) cannot be trusted: \(reason)")
    default: .invalidStreamData("the connection to \(server) broke off: \(reason)")
    }
  }

  private static var outOfMemory: Fault {
    .invalidRequest("libcurl could not make the request: it is out of memory.")
  }
}
