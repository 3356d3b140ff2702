import AgentKit
import Curl
import Dispatch
import Synchronization

/// The response of a server to one request, as it arrives.
///
/// The request has a thread of its own, which closes the connection when the reader stops.
struct ServerResponse {
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  struct Head: Sendable {
    let status: Int
    let contentType: String
    /// The seconds after which the server wants to be asked again; 0 if it does not say.
    var retryAfter: Int64 = 0
    /// Whether the server says that the same request is not to be repeated.
    var isFinal = false
  }

  enum Part: Sendable {
    case head(Head)
    case body([UInt8])
  }

  let parts: AsyncThrowingStream<Part, any Error>

  /// The most bytes of a response, far above any answer, so that a server cannot fill this process.
  private static let limit = 64 << 20
  /// How long to wait for what may follow an answer, namely its figures.
  private static let patienceAfterAnswer = Duration.seconds(2)
  /// How long one check of the connection waits; cancellation does not wait for its end.
  private static let glance = Duration.seconds(1)

  private let call = Call()

  /// - Parameter traceparent: The span in which the server is asked, for its own traces.
  init(endpoint: Endpoint, body: String, timeout: Duration, traceparent: String? = nil) {
    parts = AsyncThrowingStream { [call] continuation in
      continuation.onTermination = { _ in call.cancel() }
      // A thread of its own, because libcurl blocks while waiting.
      DispatchQueue(label: "remote").async {
        do {
          let transfer = try endpoint.transfer(body: body, traceparent: traceparent)
          guard call.begin(transfer) else { return }
          try Self.run(transfer, call, endpoint, timeout) { _ = continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
        call.end()
      }
    }
  }

  /// Notes that the answer is complete and nothing more need follow.
  func expectEnd() { call.expectEnd() }

  private static func run(
    _ transfer: HTTPTransfer,
    _ call: Call,
    _ endpoint: Endpoint,
    _ timeout: Duration,
    _ yield: (Part) -> Void
  ) throws {
    var lastSign = ContinuousClock.now
    var length = 0
    var isBegun = false
    func begin() {
      guard !isBegun else { return }
      isBegun = true
      yield(
        .head(
          Head(
            status: transfer.status,
            contentType: transfer.contentType,
            retryAfter: transfer.retryAfter,
            isFinal: transfer.isFinal
          )
        )
      )
    }
    while !call.isCancelled {
      let patience = call.isEnding ? min(timeout, patienceAfterAnswer) : timeout
      let rest = patience - (ContinuousClock.now - lastSign)
      guard rest > .zero else { throw silence(of: endpoint, timeout, isBegun: isBegun) }
      switch transfer.next(milliseconds: min(rest, glance).milliseconds) {
      case .bytes(let bytes):
        lastSign = .now
        begin()
        length += bytes.count
        guard length <= limit else {
          throw Fault.invalidStreamData("it is longer than \(limit >> 20) MiB")
        }
        yield(.body(bytes))
      case .nothing: continue
      case .done:
        begin()
        return
      case .failed(let failure, let reason): throw endpoint.error(failure, reason)
      }
    }
  }

  private static func silence(
    of endpoint: Endpoint,
    _ timeout: Duration,
    isBegun: Bool
  ) -> any Error {
    let what = isBegun ? "sent nothing more" : "sent no answer"
    return LanguageModelError.timeout(
      .init(debugDescription: "\(endpoint.publicAddress) \(what) for \(timeout).")
    )
  }
}

/// One request, which can be cancelled before, during and after its transfer.
private final class Call: Sendable {
  private enum Phase {
    case new
    case running(HTTPTransfer)
    case over
    case cancelled
  }

  private let phase = Mutex(Phase.new)
  private let ending = Atomic(false)

  var isEnding: Bool { ending.load(ordering: .relaxed) }

  func expectEnd() { ending.store(true, ordering: .relaxed) }

  var isCancelled: Bool {
    phase.withLock { if case .cancelled = $0 { true } else { false } }
  }

  /// Registers the transfer, for `cancel` to wake.
  /// - Returns: `false` if the call is already cancelled.
  func begin(_ transfer: HTTPTransfer) -> Bool {
    phase.withLock { phase in
      guard case .new = phase else { return false }
      phase = .running(transfer)
      return true
    }
  }

  func end() {
    phase.withLock { phase in
      if case .running = phase { phase = .over }
    }
  }

  func cancel() {
    let transfer: HTTPTransfer? = phase.withLock { phase in
      defer { if case .over = phase {} else { phase = .cancelled } }
      guard case .running(let transfer) = phase else { return nil }
      return transfer
    }
    transfer?.wake()
  }
}

extension Duration {
  /// The duration in whole milliseconds; at least one, so that no wait has length zero.
  fileprivate var milliseconds: Int32 {
    Int32(clamping: Int(max(1, self / .milliseconds(1))))
  }
}
