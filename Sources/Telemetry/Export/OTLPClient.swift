import Curl
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
    let deadline = ContinuousClock.now + timeout
    let (body, headers) = body(of: spans)
    let transfer: HTTPTransfer
    do throws(HTTPTransfer.Unavailable) {
      transfer = try HTTPTransfer(
        endpoint.address,
        headers: headers,
        body: body,
        connectMilliseconds: max(1, Int(timeout / .milliseconds(1))),
        isDirect: endpoint.isLoopback,
        certificate: settings.certificate
      )
    } catch {
      guard error.isMissing else { return .unavailable(error.reason, retryAfter: nil) }
      return .refused("libcurl is needed: \(error.reason)")
    }
    var answer: [UInt8] = []
    while true {
      if isCancelled() { return .cancelled }
      guard ContinuousClock.now < deadline else {
        return .unavailable("it did not answer within \(timeout)", retryAfter: nil)
      }
      switch transfer.next(milliseconds: Self.step) {
      case .bytes(let bytes): answer += bytes.prefix(Self.answerBytes - answer.count)
      case .nothing: continue
      case .done: return Self.outcome(transfer.status, answer, retryAfter: transfer.retryAfter)
      // Reasons name the host, and the address may hold a password.
      case .failed(let failure, _): return .unavailable(Self.words(failure), retryAfter: nil)
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

  private static func words(_ failure: HTTPTransfer.Failure) -> String {
    switch failure {
    case .badURL: "its address cannot be used"
    case .notTrusted: "its certificate is not trusted"
    case .brokenOff: "the connection broke off"
    case .refused: "nothing listens there"
    case .notConnected, .other: "it cannot be reached"
    }
  }

  private func body(of spans: [Span]) -> (body: [UInt8], headers: [String]) {
    let traces = OTLPTraces(spans, of: settings.resource)
    let plain = settings.isJSON ? Array(traces.json.utf8) : traces.protobuf
    let type = settings.isJSON ? "application/json" : "application/x-protobuf"
    var headers = settings.headers + ["Content-Type: \(type)"]
    guard settings.isCompressed, let compressed = Gzip.compressed(plain) else {
      return (plain, headers)
    }
    headers.append("Content-Encoding: gzip")
    return (compressed, headers)
  }
}
