import Synchronization

/// Sends the spans of what is journaled to a receiver, away from every turn.
///
/// It reads the journal after the fact, holds a bounded number of spans, and drops the oldest where
/// a receiver does not keep up. Nothing waits for it.
package final class SpanExporter: Sendable {
  private enum Feed {
    case closed
    case idle(FactFeed)
    /// A task reads on.
    case reading
  }

  private enum Sender {
    case client(OTLPClient)
    case console(SpanConsole)
  }

  private struct State {
    var feed = Feed.closed
    var queue: SpanQueue
    /// How many spans a receiver refused, or did not take in time.
    var lost = 0
    /// Whether the last attempt failed, which is logged once.
    var isFailing = false
  }

  private let settings: TelemetrySettings
  private let sender: Sender
  private let note: @Sendable (String) -> Void
  private let state: Mutex<State>
  /// Tells the sender that there are spans.
  private let (arrivals, arrived) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1)
  )

  /// How often a batch is sent before it is dropped.
  private static let attempts = 4

  /// - Parameter note: Receives what a person should know, once and not for every batch.
  package init(_ settings: TelemetrySettings, note: @escaping @Sendable (String) -> Void) {
    self.settings = settings
    self.note = note
    state = Mutex(State(queue: SpanQueue(settings.queue)))
    switch settings.destination {
    case .receiver(let endpoint): sender = .client(OTLPClient(endpoint, settings))
    case .console(let write): sender = .console(SpanConsole(write))
    }
  }

  /// How many spans were not received.
  package var dropped: Int { state.withLock { $0.queue.dropped + $0.lost } }
  package var waiting: Int { state.withLock { $0.queue.count } }

  /// Opens a feed; again, if it was opened before and could not be read further.
  package typealias Opening = @Sendable (_ isAgain: Bool) async throws -> FactFeed

  /// Follows a feed until the task is cancelled.
  package func run(_ open: @escaping Opening) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask(priority: .utility) { await self.read(open) }
      group.addTask(priority: .utility) { await self.sendArriving() }
    }
  }

  /// Sends what has been journaled and what waits, within a time, after the end of `run`.
  ///
  /// - Returns: How many spans were received.
  @discardableResult
  package func finish(within patience: Duration) async -> Int {
    let deadline = ContinuousClock.now + patience
    await catchUp(within: patience)
    return await flush(within: ContinuousClock.now.duration(to: deadline))
  }

  private func read(_ open: Opening) async {
    var (isAgain, isUnreadable) = (false, false)
    repeat {
      do {
        if !isFollowing {
          let feed = try await open(isAgain)
          state.withLock { $0.feed = .idle(feed) }
          isAgain = true
        }
        while !Task.isCancelled, try await readOn() { await Task.yield() }
        isUnreadable = false
      } catch {
        guard !Task.isCancelled else { return }
        if !isUnreadable { note("Telemetry cannot read the journal: \(error)") }
        isUnreadable = true
        // What cannot be read is left out.
        state.withLock { $0.feed = .closed }
      }
    } while (try? await Task.sleep(for: settings.interval)) != nil
  }

  /// Adds the spans of the next facts, unless another task does.
  /// - Returns: Whether there were any facts.
  private func readOn() async throws -> Bool {
    let known = state.withLock { state -> FactFeed? in
      guard case .idle(let feed) = state.feed else { return nil }
      state.feed = .reading
      return feed
    }
    guard let known else { return false }
    var feed = known
    // What could not be read is read again, if there is a next time.
    defer { state.withLock { $0.feed = .idle(feed) } }
    let (facts, spans) = try await feed.next()
    add(spans)
    return !facts.isEmpty
  }

  /// Whether facts are read.
  var isFollowing: Bool {
    state.withLock { if case .closed = $0.feed { false } else { true } }
  }

  /// Reads what has been journaled so far, before some of it is removed.
  package func catchUp(within patience: Duration) async {
    let deadline = ContinuousClock.now + patience
    while ContinuousClock.now < deadline {
      let isReading = state.withLock { if case .reading = $0.feed { true } else { false } }
      if isReading {
        // Another task has a page to read, in some milliseconds.
        guard (try? await Task.sleep(for: .milliseconds(1))) != nil else { return }
      } else {
        guard (try? await readOn()) == true else { return }
      }
    }
  }

  /// Adds spans, which may push out older ones.
  package func add(_ spans: [Span]) {
    guard !spans.isEmpty else { return }
    state.withLock { state in for span in spans { state.queue.append(span) } }
    arrived.yield()
  }

  // MARK: Sending

  private func sendArriving() async {
    for await _ in arrivals {
      while let batch = nextBatch() {
        guard await deliver(batch) else { return add(batch) }
      }
    }
  }

  private func nextBatch() -> [Span]? {
    let batch = state.withLock { $0.queue.next(settings.batch) }
    return batch.isEmpty ? nil : batch
  }

  /// Sends a batch, again if the receiver is not available.
  /// - Returns: Whether the batch is done with; not when the task is cancelled.
  private func deliver(_ batch: [Span]) async -> Bool {
    for attempt in 1...Self.attempts {
      switch await send(batch, within: settings.timeout) {
      case .cancelled: return false
      case .accepted(let response):
        accepted(response, of: batch.count)
        return true
      case .refused(let reason):
        lose(batch.count, because: reason)
        return true
      case .unavailable(let reason, let wait):
        noteFailure(reason)
        guard attempt < Self.attempts else {
          lose(batch.count, because: reason)
          return true
        }
        let pause = wait ?? .seconds(1 << (attempt - 1)) * Double.random(in: 0.75...1.25)
        guard (try? await Task.sleep(for: pause)) != nil else { return false }
      }
    }
    return true
  }

  private func send(_ batch: [Span], within timeout: Duration) async -> OTLPClient.Outcome {
    switch sender {
    case .client(let client): return await client.send(batch, within: timeout)
    case .console(let console):
      let line = OTLPTraces(batch, of: settings.resource).json
      let isShown = await console.show(line, within: timeout)
      return isShown ? .accepted(OTLPResponse([])) : .refused("earlier spans are not read")
    }
  }

  /// Sends everything that a feed has, and waits for the receiver.
  /// - Returns: How many spans there were; `dropped` says how many of them were not received.
  package func send(all feed: FactFeed) async throws -> Int {
    var (feed, batch, count): (FactFeed, [Span], Int) = (feed, [], 0)
    while true {
      let (facts, spans) = try await feed.next()
      (batch, count) = (batch + spans, count + spans.count)
      guard facts.isEmpty || batch.count >= settings.batch.spans else { continue }
      if !batch.isEmpty, await !deliver(batch) { throw CancellationError() }
      batch = []
      if facts.isEmpty { return count }
    }
  }

  /// Sends what waits, once, within a time.
  /// - Returns: How many spans were received; throws nothing, because nothing depends on it.
  @discardableResult
  package func flush(within patience: Duration) async -> Int {
    // A receiver that did not answer lately is not waited for once more.
    guard !state.withLock({ $0.isFailing }) else { return 0 }
    let deadline = ContinuousClock.now + patience
    var received = 0
    while let batch = nextBatch() {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else {
        lose(batch.count, because: "there was no more time")
        break
      }
      switch await send(batch, within: min(left, settings.timeout)) {
      case .accepted(let response):
        received += accepted(response, of: batch.count)
      case .refused(let reason), .unavailable(let reason, _):
        lose(batch.count, because: reason)
        return received
      case .cancelled: return received
      }
    }
    return received
  }

  /// - Returns: How many of the spans that were sent were received.
  @discardableResult
  private func accepted(_ response: OTLPResponse, of sent: Int) -> Int {
    // A receiver may name any number.
    let rejected = min(response.rejected, sent)
    guard rejected == 0 else {
      lose(rejected, because: "it rejected spans: \(response.reason)")
      return sent - rejected
    }
    let isBack = state.withLock { state in
      defer { state.isFailing = false }
      return state.isFailing
    }
    if isBack { note("Telemetry is received again at \(settings.publicDestination).") }
    return sent
  }

  private func lose(_ count: Int, because reason: String) {
    state.withLock { $0.lost += count }
    noteFailure(reason)
  }

  /// Notes a failure, unless the attempt before failed too.
  private func noteFailure(_ reason: String) {
    let isFirst = state.withLock { state in
      defer { state.isFailing = true }
      return !state.isFailing
    }
    guard isFirst else { return }
    note("Telemetry is not received at \(settings.publicDestination): \(reason).")
  }
}
