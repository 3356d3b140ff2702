import Coordination

/// The requests whose events are watched, by their identities.
struct EventRequests {
  /// The finished requests whose identities are kept.
  private static let maximumFinished = 256

  typealias Waiter = CheckedContinuation<Void, Never>

  /// What a request asks, by which a second one of the same identity is known to be the same.
  struct Claim: Equatable {
    let session: String
    /// The hash of the prompt, which may be long; `nil` for a request that an interrupted turn goes
    /// on.
    private let prompt: Int?

    init(session: String, prompt: String? = nil) {
      (self.session, self.prompt) = (session, prompt?.hashValue)
    }
  }

  private struct Request {
    let claim: Claim
    /// The position before its first event.
    let start: Int64
    /// Answers the prompt; `nil` until it is started.
    var task: Task<Void, Never>?
    var outcome: Result<Void, ServiceError>?
    /// Resumed at the first event, and at the end.
    var waiters: [Waiter] = []
    var hasBegun = false
    /// Whether its turn waits for the client, and goes on without it.
    var isWaiting = false

    /// Why it was refused before anything happened, so that it can be sent again.
    var refusal: ServiceError? {
      if case .failure(let error)? = outcome, !hasBegun { error } else { nil }
    }
  }

  private var requests: [String: Request] = [:]
  /// Those that have ended, oldest first.
  private var finished: [String] = []

  /// The error for an identity that another request has.
  static func conflict(_ id: String) -> ServiceError {
    ServiceError(
      .idempotencyConflict,
      "The request id '\(id)' belongs to another prompt. Send a new id with a new prompt."
    )
  }

  /// Adds a request, or finds the one of the same identity.
  /// - Parameter position: That of the last event.
  /// - Returns: The position before its first event, and whether it is new.
  /// - Throws: `ServiceError` where the one of the same identity asks something else.
  mutating func claim(
    _ id: String,
    _ claim: Claim,
    at position: Int64
  ) throws(ServiceError) -> (start: Int64, isNew: Bool) {
    if let known = requests[id], known.refusal == nil {
      guard known.claim == claim else { throw Self.conflict(id) }
      return (known.start, false)
    }
    finished.removeAll { $0 == id }
    requests[id] = Request(claim: claim, start: position)
    return (position, true)
  }

  mutating func start(_ id: String, _ task: Task<Void, Never>) {
    guard requests[id]?.outcome == nil else { return }
    requests[id]?.task = task
  }

  /// Notes an event of a request.
  /// - Returns: Those that wait for its first event.
  mutating func note(_ event: TurnEvent, of id: String) -> [Waiter] {
    requests[id]?.hasBegun = true
    if case .clientCalls = event { requests[id]?.isWaiting = true }
    return takeWaiters(of: id)
  }

  /// - Returns: Those that wait for its first event; another request may take its identity next.
  mutating func finish(_ id: String, _ outcome: Result<Void, ServiceError>) -> [Waiter] {
    requests[id]?.outcome = outcome
    requests[id]?.task = nil
    finished.append(id)
    let waiters = takeWaiters(of: id)
    if finished.count > Self.maximumFinished { requests[finished.removeFirst()] = nil }
    return waiters
  }

  func outcome(of id: String) -> Result<Void, ServiceError>? { requests[id]?.outcome }

  func refusal(of id: String) -> ServiceError? { requests[id]?.refusal }

  /// The task to cancel when no one watches a request any more; `nil` where it goes on.
  func cancellableTask(of id: String) -> Task<Void, Never>? {
    guard let request = requests[id], request.outcome == nil, !request.isWaiting else { return nil }
    return request.task
  }

  /// Has a continuation wait for the first event of a request, or for its end.
  /// - Returns: Whether it has to wait.
  mutating func await(_ id: String, _ waiter: Waiter) -> Bool {
    guard let request = requests[id], !request.hasBegun, request.outcome == nil else {
      return false
    }
    requests[id]?.waiters.append(waiter)
    return true
  }

  mutating func takeWaiters(of id: String) -> [Waiter] {
    let waiters = requests[id]?.waiters ?? []
    requests[id]?.waiters = []
    return waiters
  }
}
