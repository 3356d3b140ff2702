import CCurl
import Foundation
import Synchronization

/// Sends traces to a receiver, through libcurl.
struct OTLPClient: Sendable {
  enum Outcome: Sendable, Equatable {
    case accepted(OTLPResponse)
    /// It will not be taken later either.
    case refused(String)
    /// It may be taken later, after this time if the receiver says so.
    case unavailable(String, retryAfter: Duration?)
    case cancelled
  }

  private let endpoint: TelemetryEndpoint
  private let settings: TelemetrySettings
  /// One thread is enough for one request at a time; it may wait for a receiver that hangs.
  private let queue = DispatchQueue(label: "telemetry", qos: .utility)

  /// How much of an answer is read.
  private static let answerBytes = 64 << 10
  /// How soon a cancellation is noticed, in milliseconds.
  private static let step: Int32 = 100

  init(_ endpoint: TelemetryEndpoint, _ settings: TelemetrySettings) {
    (self.endpoint, self.settings) = (endpoint, settings)
  }

  /// Sends spans; returns within the time that a receiver is given.
  func send(_ spans: [Span], within timeout: Duration) async -> Outcome {
    let isCancelled = Atomic(false)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
          continuation.resume(
            returning: post(spans, within: timeout) { isCancelled.load(ordering: .relaxed) }
          )
        }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
  }

  /// Sends spans from this thread.
  private func post(
    _ spans: [Span],
    within timeout: Duration,
    until isCancelled: () -> Bool
  ) -> Outcome {
    if let missing = ccurl_missing() {
      return .refused("libcurl is needed: \(String(cString: missing))")
    }
    let deadline = ContinuousClock.now + timeout
    let (body, headers) = body(of: spans)
    let patience = Int(timeout / .milliseconds(1))
    guard
      let transfer = ccurl_post(
        endpoint.address,
        body.map { CChar(bitPattern: $0) },
        body.count,
        max(1, patience)
      )
    else { return .unavailable("out of memory", retryAfter: nil) }
    defer { ccurl_close(transfer) }
    if endpoint.isLoopback { ccurl_pass_no_proxy(transfer) }
    if let certificate = settings.certificate { ccurl_trust(transfer, certificate) }
    guard headers.allSatisfy({ ccurl_add_header(transfer, $0) }), ccurl_start(transfer) else {
      return .unavailable("out of memory", retryAfter: nil)
    }
    var answer: [UInt8] = []
    while true {
      if isCancelled() { return .cancelled }
      guard ContinuousClock.now < deadline else {
        return .unavailable("it did not answer within \(timeout)", retryAfter: nil)
      }
      switch ccurl_advance(transfer, Self.step) {
      case CCURL_BYTES:
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = ccurl_take(transfer, &piece, piece.count)
        answer += piece.prefix(min(count, Self.answerBytes - answer.count))
      case CCURL_NOTHING: continue
      case CCURL_DONE:
        let wait = ccurl_retry_after(transfer)
        return Self.outcome(Int(ccurl_status(transfer)), answer, retryAfter: wait)
      default:
        // Reasons name the host, and the address may hold a password.
        return .unavailable(Self.words(ccurl_failure_of(transfer)), retryAfter: nil)
      }
    }
  }

  static func outcome(_ status: Int, _ answer: [UInt8], retryAfter seconds: Int64) -> Outcome {
    switch status {
    case 200..<300: .accepted(OTLPResponse(answer))
    case 429, 502, 503, 504:
      .unavailable(
        "it answered \(status)",
        retryAfter: seconds > 0 ? .seconds(min(seconds, 60)) : nil
      )
    default: .refused("it answered \(status)")
    }
  }

  private static func words(_ failure: ccurl_failure) -> String {
    switch failure {
    case CCURL_BAD_URL: "its address cannot be used"
    case CCURL_NOT_TRUSTED: "its certificate is not trusted"
    case CCURL_BROKEN_OFF: "the connection broke off"
    case CCURL_REFUSED: "nothing listens there"
    default: "it cannot be reached"
    }
  }

  private func body(of spans: [Span]) -> (body: [UInt8], headers: [String]) {
    let traces = OTLPTraces(spans, of: settings.resource)
    let plain = settings.isJSON ? Array(traces.json.utf8) : traces.protobuf
    let type = settings.isJSON ? "application/json" : "application/x-protobuf"
    var headers = settings.headers + ["Content-Type: \(type)"]
    guard settings.isCompressed, let compressed = Self.compressed(plain) else {
      return (plain, headers)
    }
    headers.append("Content-Encoding: gzip")
    return (compressed, headers)
  }

  /// Returns the bytes as gzip; `nil` where that is not possible.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    let bound = ccurl_gzip_bound(bytes.count)
    guard bound > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: bound)
    let count = ccurl_gzip(bytes, bytes.count, &buffer, buffer.count)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }
}
