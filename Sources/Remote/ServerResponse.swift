import AgentKit
import Dispatch
import Synchronization

/// What a server answers to one request, as it comes.
///
/// The request is made on a thread of its own, which ends, and closes the connection, when whoever
/// reads this stops.
struct ServerResponse {
  typealias Fault = ChatCompletionsLanguageModel.RequestError

  struct Head: Sendable {
    let status: Int
    let contentType: String
    let retryAfter: Int64
  }

  enum Part: Sendable {
    case head(Head)
    case body([UInt8])
  }

  let parts: AsyncThrowingStream<Part, any Error>

  /// No answer of a model comes near it: a server that sends more is not to fill this process.
  private static let limit = 64 << 20
  /// How long what may follow an answer, which are its figures, is waited for.
  private static let patienceAfterAnswer = Duration.seconds(2)
  /// How long one look at the connection waits; cancelling does not wait for its end.
  private static let glance = Duration.seconds(1)

  private let call = Call()

  init(endpoint: Endpoint, body: String, timeout: Duration) {
    parts = AsyncThrowingStream { [call] continuation in
      continuation.onTermination = { _ in call.cancel() }
      // A thread of its own, because libcurl waits by blocking.
      DispatchQueue(label: "remote").async {
        do {
          let transfer = try Transfer(endpoint, body: body)
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

  /// The answer is there, and nothing need follow.
  func expectEnd() { call.expectEnd() }

  private static func run(
    _ transfer: Transfer,
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
            retryAfter: transfer.retryAfter
          )
        )
      )
    }
    while !call.isCancelled {
      let patience = call.isEnding ? min(timeout, patienceAfterAnswer) : timeout
      let rest = patience - (ContinuousClock.now - lastSign)
      guard rest > .zero else { throw silence(of: endpoint, timeout, isBegun: isBegun) }
      switch try transfer.next(milliseconds: min(rest, glance).milliseconds) {
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

/// One request that may be cancelled before, while and after its transfer runs.
private final class Call: Sendable {
  private enum Phase {
    case new
    case running(Transfer)
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

  /// Notes the transfer, for `cancel` to wake; false where it has been cancelled already.
  func begin(_ transfer: Transfer) -> Bool {
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
    let transfer: Transfer? = phase.withLock { phase in
      defer { if case .over = phase {} else { phase = .cancelled } }
      guard case .running(let transfer) = phase else { return nil }
      return transfer
    }
    transfer?.wake()
  }
}

extension Duration {
  /// Whole milliseconds, at least one: no wait is without any.
  fileprivate var milliseconds: Int32 {
    Int32(clamping: Int(max(1, self / .milliseconds(1))))
  }
}
