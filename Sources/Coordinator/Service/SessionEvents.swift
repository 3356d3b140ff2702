import Coordination
import Foundation
import Journal
import Logging
import Synchronization

/// The events of all turns, for everyone who watches, and the prompts that are under way.
final class SessionEvents: Sendable {
  /// The events that are kept for those who come later; text that grows is not among them.
  private static let maximumEvents = 1024
  /// The bytes of text in them: an output of a tool may be long.
  private static let maximumBytes = 4 << 20
  /// The finished requests whose identities are kept.
  private static let maximumRequests = 256

  fileprivate struct Subscriber {
    let session: String?
    let request: String?
    let includesEntries: Bool
    let yield: @Sendable (SessionEvent) -> Void
    let end: @Sendable (ServiceError?) -> Void
    var backpressure = TextBackpressure()
  }

  /// What a request asks, by which a second one of the same identity is known to be the same.
  struct Claim: Equatable {
    var session: String
    /// `nil` for a request that an interrupted turn goes on.
    var prompt: String?
  }

  fileprivate struct Request {
    let claim: Claim
    /// The position before its first event.
    let start: Int64
    /// Answers the prompt; `nil` until it is started.
    var task: Task<Void, Never>?
    var outcome: Result<Void, ServiceError>?
    /// Resumed at the first event, and at the end.
    fileprivate var waiters: [CheckedContinuation<Void, Never>] = []
    var hasBegun = false
    /// Whether its turn waits for the client, and goes on without it.
    var isWaiting = false

    /// Whether it was refused before anything happened, so that it can be sent again.
    var isRefused: Bool { if case .failure? = outcome { !hasBegun } else { false } }
  }

  /// The error for an identity that another request has.
  static func conflict(_ id: String) -> ServiceError {
    ServiceError(
      .idempotencyConflict,
      "The request id '\(id)' belongs to another prompt. Send a new id with a new prompt."
    )
  }

  private struct State {
    var position: Int64 = 0
    var events: [SessionEvent] = []
    var bytes = 0
    var subscribers: [Int: Subscriber] = [:]
    var lastSubscriber = 0
    var requests: [String: Request] = [:]
    var finished: [String] = []

    /// Appends an event to those for late subscribers, and drops the oldest where there are too many.
    mutating func append(_ event: SessionEvent) {
      events.append(event)
      bytes += event.event.textBytes
      while events.count > maximumEvents || bytes > maximumBytes, !events.isEmpty {
        bytes -= events.removeFirst().event.textBytes
      }
    }
  }

  private let state = Mutex(State())
  let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Publishes an event.
  /// - Parameter request: The request whose turn it is; `nil` for none.
  func publish(_ event: TurnEvent, session: String, request: String? = nil) {
    log(event, session)
    let (begun, behind) = state.withLock { state in
      state.position += 1
      let published = SessionEvent(
        position: state.position,
        session: session,
        request: request,
        event: event
      )
      if event.unfinishedText == nil {
        state.append(published)
      }
      var behind: [Subscriber] = []
      for (number, subscriber) in state.subscribers where subscriber.wants(published) {
        guard state.subscribers[number]?.backpressure.admits(event) == true else { continue }
        subscriber.yield(published)
        // The reader of a prompt is owed all of its turn; one that only watches can begin anew.
        guard subscriber.request == nil,
          state.subscribers[number]?.backpressure.isExceeded == true
        else { continue }
        state.subscribers[number] = nil
        behind.append(subscriber)
      }
      if let request, case .clientCalls = event { state.requests[request]?.isWaiting = true }
      return (request.flatMap { state.requests[$0]?.begin() } ?? [], behind)
    }
    // Outside the lock, which the end of a stream takes.
    for subscriber in behind { subscriber.end(Self.isBehind) }
    for waiter in begun { waiter.resume() }
  }

  private static var isBehind: ServiceError {
    ServiceError(
      .unavailable,
      "The reader is \(TextBackpressure.maximumEvents) events behind. Read again from the last"
        + " position."
    )
  }

  /// Subscribes to events.
  /// - Parameters:
  ///   - position: The position after which to begin, as far back as there are events.
  ///   - includesEntries: Whether events that are entries are among them.
  func subscribe(
    session: String? = nil,
    since position: Int64?,
    includesEntries: Bool = true
  ) -> EventStream<SessionEvent> {
    subscribe(
      Subscription(session: session, position: position, includesEntries: includesEntries),
      output: { $0 },
      event: \.event
    )
  }

  private struct Subscription {
    var session: String?
    var request: String?
    var position: Int64?
    var includesEntries = true
  }

  private func subscribe<Output: Sendable>(
    _ subscription: Subscription,
    output: @escaping @Sendable (SessionEvent) -> Output,
    event: @escaping @Sendable (Output) -> TurnEvent
  ) -> EventStream<Output> {
    let (stream, continuation) = AsyncThrowingStream<Output, any Error>.makeStream()
    var subscriber = Subscriber(
      session: subscription.session,
      request: subscription.request,
      includesEntries: subscription.includesEntries,
      yield: { continuation.yield(output($0)) },
      end: { continuation.finish(throwing: $0) }
    )
    let (number, outcome) = state.withLock { state in
      state.lastSubscriber += 1
      if let position = subscription.position {
        for event in state.events where event.position > position && subscriber.wants(event) {
          _ = subscriber.backpressure.admits(event.event)
          subscriber.yield(event)
        }
      }
      state.subscribers[state.lastSubscriber] = subscriber
      return (state.lastSubscriber, subscription.request.flatMap { state.requests[$0]?.outcome })
    }
    continuation.onTermination = { [weak self] _ in self?.unsubscribe(number) }
    // Outside the lock, which the end of a stream takes.
    if let outcome { subscriber.finish(outcome) }
    return EventStream(stream) { [weak self] element in
      self?.state.withLock {
        $0.subscribers[number]?.backpressure.recordRead(event(element))
      }
    }
  }

  /// Forgets a subscriber; a request without any is cancelled.
  private func unsubscribe(_ number: Int) {
    let abandoned = state.withLock { state -> Task<Void, Never>? in
      guard let request = state.subscribers.removeValue(forKey: number)?.request,
        !state.subscribers.values.contains(where: { $0.request == request }),
        state.requests[request]?.outcome == nil, state.requests[request]?.isWaiting != true
      else { return nil }
      return state.requests[request]?.task
    }
    abandoned?.cancel()
  }

  // MARK: Requests

  /// Runs a request, or joins the one of the same identity.
  /// - Parameters:
  ///   - claim: What the request asks.
  ///   - patience: How long to wait for the first event.
  ///   - body: Answers the request, and publishes its events.
  /// - Returns: The events of the turn.
  /// - Throws: `ServiceError` when the request fails before its first event, or asks something else
  ///   than the one of the same identity.
  func run(
    _ id: String,
    _ claim: Claim,
    patience: Duration = .seconds(1),
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws(ServiceError) -> EventStream<TurnEvent> {
    let (start, isNew, isSame) = state.withLock { state in
      if let known = state.requests[id], !known.isRefused {
        return (known.start, false, known.claim == claim)
      }
      state.finished.removeAll { $0 == id }
      state.requests[id] = Request(claim: claim, start: state.position)
      return (state.position, true, true)
    }
    guard isSame else { throw Self.conflict(id) }
    let events = subscribe(
      Subscription(request: id, position: start),
      output: \.event,
      event: { $0 }
    )
    if isNew {
      // Unstructured: others may join the turn, and it is cancelled when the last has left.
      let task = Task {
        do {
          try await body()
          self.finish(id, .success(()))
        } catch {
          self.finish(id, .failure(ServiceError(error)))
        }
      }
      state.withLock { $0.requests[id]?.task = task }
    }
    await began(id, within: patience)
    let failure = state.withLock { state -> ServiceError? in
      guard let request = state.requests[id], !request.hasBegun,
        case .failure(let error) = request.outcome
      else { return nil }
      return error
    }
    if let failure { throw failure }
    return events
  }

  /// Waits for the first event of a request, or for its end.
  private func began(_ id: String, within patience: Duration) async {
    let timer = Task {
      try? await Task.sleep(for: patience)
      self.wake(id)
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard let request = state.requests[id], !request.hasBegun, request.outcome == nil else {
            return true
          }
          state.requests[id]?.waiters.append(continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake(id)
    }
    timer.cancel()
  }

  private func wake(_ id: String) {
    let waiters = state.withLock { $0.requests[id]?.takeWaiters() ?? [] }
    for waiter in waiters { waiter.resume() }
  }

  private func finish(_ id: String, _ outcome: Result<Void, ServiceError>) {
    let subscribers = state.withLock { state in
      state.requests[id]?.outcome = outcome
      state.requests[id]?.task = nil
      state.finished.append(id)
      if state.finished.count > Self.maximumRequests {
        state.requests[state.finished.removeFirst()] = nil
      }
      return state.subscribers.values.filter { $0.request == id }
    }
    // Outside the lock, which the end of a stream takes.
    for subscriber in subscribers { subscriber.finish(outcome) }
    wake(id)
  }
}

extension SessionEvents.Subscriber {
  fileprivate func wants(_ event: SessionEvent) -> Bool {
    (session == nil || session == event.session) && (request == nil || request == event.request)
      && (includesEntries || !event.event.isEntry)
  }

  fileprivate func finish(_ outcome: Result<Void, ServiceError>) {
    switch outcome {
    case .success: end(nil)
    case .failure(let error): end(error)
    }
  }
}

extension SessionEvents.Request {
  fileprivate mutating func begin() -> [CheckedContinuation<Void, Never>] {
    hasBegun = true
    return takeWaiters()
  }

  fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
    defer { waiters = [] }
    return waiters
  }
}
