import Coordination
import Foundation
import Journal
import Logging
import Synchronization

/// The events of all turns, for everyone who watches, and the requests that are under way.
final class SessionEvents: Sendable {
  /// The events that are kept for those who come later; text that grows is not among them.
  private static let maximumEvents = 1024
  /// The bytes of text in them: an output of a tool may be long.
  private static let maximumBytes = 4 << 20

  fileprivate struct Subscriber {
    let session: String?
    let request: String?
    let includesEntries: Bool
    let yield: @Sendable (SessionEvent) -> Void
    let end: @Sendable (ServiceError?) -> Void
    var backpressure = TextBackpressure()
  }

  private struct State {
    var position: Int64 = 0
    var events: [SessionEvent] = []
    var bytes = 0
    var subscribers: [Int: Subscriber] = [:]
    var lastSubscriber = 0
    var requests = EventRequests()

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
      return (request.map { state.requests.note(event, of: $0) } ?? [], behind)
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
      return (state.lastSubscriber, subscription.request.flatMap { state.requests.outcome(of: $0) })
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
        !state.subscribers.values.contains(where: { $0.request == request })
      else { return nil }
      return state.requests.cancellableTask(of: request)
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
    _ claim: EventRequests.Claim,
    patience: Duration = .seconds(1),
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws(ServiceError) -> EventStream<TurnEvent> {
    let (start, isNew) = try state.withLock { state throws(ServiceError) in
      try state.requests.claim(id, claim, at: state.position)
    }
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
      state.withLock { $0.requests.start(id, task) }
    }
    await began(id, within: patience)
    if let refusal = state.withLock({ $0.requests.refusal(of: id) }) { throw refusal }
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
        let waits = state.withLock { $0.requests.await(id, continuation) }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      wake(id)
    }
    timer.cancel()
  }

  private func wake(_ id: String) {
    let waiters = state.withLock { $0.requests.takeWaiters(of: id) }
    for waiter in waiters { waiter.resume() }
  }

  private func finish(_ id: String, _ outcome: Result<Void, ServiceError>) {
    let (waiters, subscribers) = state.withLock { state in
      (
        state.requests.finish(id, outcome),
        state.subscribers.values.filter { $0.request == id }
      )
    }
    // Outside the lock, which the end of a stream takes.
    for subscriber in subscribers { subscriber.finish(outcome) }
    for waiter in waiters { waiter.resume() }
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
