import CCurl

/// One HTTP request and its response, through libcurl, which is loaded for the first of them.
///
/// Used by a single thread. Only `wake` may be called by others, hence `@unchecked Sendable`.
package final class HTTPTransfer: @unchecked Sendable {
  /// Why libcurl cannot be used.
  package struct Unavailable: Error {
    package let reason: String
    /// Whether it is not there, which does not change.
    package let isMissing: Bool
  }

  package enum Step {
    case bytes([UInt8])
    /// Nothing arrived within the given time.
    case nothing
    case done
    /// libcurl's words may hold parts of the address.
    case failed(Failure, reason: String)
  }

  /// Why a response cannot be completed; as in `ccurl_failure`.
  package enum Failure: UInt32 {
    case other, badURL, notConnected, refused, notTrusted, brokenOff
  }

  private let pointer: OpaquePointer

  /// Prepares a request; nothing is sent before the first `next`.
  /// - Parameters:
  ///   - headers: Complete lines.
  ///   - connectMilliseconds: How long connecting may take.
  ///   - isDirect: Whether no proxy is asked, whatever the environment names.
  ///   - certificate: The file with the certificates that are trusted; `nil` for the system's.
  ///   - keptHeader: The header of the response that is kept.
  package init(
    _ url: String,
    method: String = "POST",
    headers: [String],
    body: [UInt8],
    connectMilliseconds: Int = 10_000,
    isDirect: Bool,
    certificate: String? = nil,
    keptHeader: String? = nil
  ) throws(Unavailable) {
    if let missing = ccurl_missing() {
      throw Unavailable(reason: String(cString: missing), isMissing: true)
    }
    guard let pointer = ccurl_post(url, body, body.count, connectMilliseconds) else {
      throw Self.outOfMemory
    }
    // From here on `deinit` frees the pointer, even if this throws.
    self.pointer = pointer
    if method != "POST" { ccurl_set_method(pointer, method) }
    if isDirect { ccurl_pass_no_proxy(pointer) }
    if let certificate { ccurl_trust(pointer, certificate) }
    if let keptHeader { ccurl_keep_header(pointer, keptHeader) }
    guard headers.allSatisfy({ ccurl_add_header(pointer, $0) }), ccurl_start(pointer)
    else { throw Self.outOfMemory }
  }

  deinit {
    ccurl_close(pointer)
  }

  /// The status of the response; 0 until its head has arrived.
  package var status: Int { ccurl_status(pointer) }
  /// Empty if the response names none.
  package var contentType: String { String(cString: ccurl_content_type(pointer)) }
  /// The seconds after which the server wants to be asked again; 0 if it does not say.
  package var retryAfter: Int64 { ccurl_retry_after(pointer) }
  /// Whether the server says that the same request is not to be repeated.
  package var isFinal: Bool { ccurl_is_final(pointer) }
  /// The value of the header that is kept; empty if the response has none.
  package var keptHeader: String { String(cString: ccurl_kept_header(pointer)) }

  /// Returns what comes next, waiting at most the given milliseconds.
  package func next(milliseconds: Int32) -> Step {
    switch ccurl_advance(pointer, milliseconds) {
    case CCURL_BYTES:
      var piece = [UInt8](repeating: 0, count: 64 * 1024)
      piece.removeSubrange(ccurl_take(pointer, &piece, piece.count)...)
      return .bytes(piece)
    case CCURL_NOTHING: return .nothing
    case CCURL_DONE: return .done
    default:
      let failure = Failure(rawValue: ccurl_failure_of(pointer).rawValue) ?? .other
      return .failed(failure, reason: String(cString: ccurl_reason(pointer)))
    }
  }

  /// Interrupts the wait of `next`.
  package func wake() {
    ccurl_wake(pointer)
  }

  private static var outOfMemory: Unavailable {
    Unavailable(reason: "it is out of memory", isMissing: false)
  }
}
