import Coordination
import Logging
import Synchronization
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(1))) struct `The events of sessions` {
  private let events = SessionEvents(
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  )

  private let claim = EventRequests.Claim(session: "a", prompt: "go")

  @Test func `reach everyone who watches the session, from a position on`() async throws {
    events.publish(.trouble("one"), session: "a")
    events.publish(.trouble("two"), session: "b")
    var all = events.subscribe(since: 0).makeAsyncIterator()
    var ofB = events.subscribe(session: "b", since: 0).makeAsyncIterator()
    var new = events.subscribe(since: nil).makeAsyncIterator()
    events.publish(.trouble("three"), session: "b", request: "r")
    #expect(try await all.next()?.event == .trouble("one"))
    #expect(try await all.next()?.event == .trouble("two"))
    #expect(try await ofB.next()?.event == .trouble("two"))
    let last = SessionEvent(position: 3, session: "b", request: "r", event: .trouble("three"))
    #expect(try await all.next() == last)
    #expect(try await ofB.next() == last)
    #expect(try await new.next() == last)
  }

  @Test func `end for a watcher that is far behind, who can go on from where it was`() async throws
  {
    var slow = events.subscribe(since: nil).makeAsyncIterator()
    let turn = try await events.run("r", claim) { [events] in
      for number in 0...TextBackpressure.maximumEvents {
        events.publish(.trouble("\(number)"), session: "a", request: "r")
      }
    }
    // What the reader of a prompt is owed does not end, however slow it is.
    var count = 0
    for try await _ in turn { count += 1 }
    #expect(count == TextBackpressure.maximumEvents + 1)
    var position: Int64 = 0
    let error = await #expect(throws: ServiceError.self) {
      while let event = try await slow.next() { position = event.position }
    }
    #expect(error?.code == .unavailable)
    #expect(position == Int64(TextBackpressure.maximumEvents) + 1)
    events.publish(.trouble("later"), session: "a")
    var again = events.subscribe(since: position).makeAsyncIterator()
    #expect(try await again.next()?.event == .trouble("later"))
  }

  @Test func `of a request are the same for all who send it, and its body runs once`() async throws
  {
    let runs = Mutex(0)
    let (going, go) = AsyncStream<Void>.makeStream()
    @Sendable func send() async throws -> EventStream<TurnEvent> {
      try await events.run("r", claim) {
        runs.withLock { $0 += 1 }
        events.publish(.trouble("began"), session: "a", request: "r")
        for await _ in going { break }
        events.publish(.trouble("ended"), session: "a", request: "r")
      }
    }
    let (first, second) = (try await send(), try await send())
    go.yield()
    for stream in [first, second, try await send()] {
      var seen: [TurnEvent] = []
      for try await event in stream { seen.append(event) }
      #expect(seen == [.trouble("began"), .trouble("ended")])
    }
    #expect(runs.withLock { $0 } == 1)
  }

  @Test func `of a turn that waits for its client end, and nothing is cancelled`() async throws {
    let isCancelled = Mutex(false)
    let (going, go) = AsyncStream<Void>.makeStream()
    var stream: EventStream<TurnEvent>? = try await events.run("r", claim) {
      events.publish(.clientCalls([]), session: "a", request: "r")
      // The reader goes away before the request is over.
      for await _ in going { break }
      isCancelled.withLock { $0 = Task.isCancelled }
      events.publish(.trouble("later"), session: "a")
    }
    var all = events.subscribe(since: nil).makeAsyncIterator()
    var seen: [TurnEvent] = []
    for try await event in try #require(stream) {
      seen.append(event)
      break
    }
    stream = nil
    go.yield()
    #expect(seen == [.clientCalls([])])
    #expect(try await all.next()?.event == .trouble("later"))
    #expect(isCancelled.withLock { !$0 })
  }

  @Test func `of a request that is refused at once are its error`() async throws {
    await #expect(throws: ServiceError(ConversationError.noAgents)) {
      try await events.run("r", claim) { throw ConversationError.noAgents }
    }
  }

  @Test func `of a request that was refused at once are those of the next one with its identity`()
    async throws
  {
    let other = EventRequests.Claim(session: "b", prompt: "stop")
    _ = try? await events.run("r", claim) { throw ConversationError.noAgents }
    let stream = try await events.run("r", other) {
      events.publish(.trouble("began"), session: "b", request: "r")
    }
    var seen: [TurnEvent] = []
    for try await event in stream { seen.append(event) }
    #expect(seen == [.trouble("began")])
  }

  @Test(arguments: [("a", "stop"), ("b", "go")])
  func `of a request are not those of another session or prompt with its identity`(
    session: String,
    prompt: String
  ) async throws {
    let stream = try await events.run("r", claim) {
      events.publish(.trouble("began"), session: "a", request: "r")
    }
    let error = await #expect(throws: ServiceError.self) {
      try await events.run("r", EventRequests.Claim(session: session, prompt: prompt)) {
        Issue.record("It began.")
      }
    }
    #expect(error?.code == .idempotencyConflict)
    withExtendedLifetime(stream) {}
  }

  @Test func `of a request that fails later end with its error`() async throws {
    let stream = try await events.run("r", claim) {
      events.publish(.trouble("began"), session: "a", request: "r")
      throw ConversationError.closed
    }
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next() == .trouble("began"))
    await #expect(throws: ServiceError(ConversationError.closed)) { try await iterator.next() }
  }

  @Test func `of a request that waits are returned before there are any`() async throws {
    let (going, go) = AsyncStream<Void>.makeStream()
    let stream = try await events.run("r", claim, patience: .milliseconds(1)) {
      for await _ in going { break }
      events.publish(.trouble("late"), session: "a", request: "r")
    }
    go.yield()
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next() == .trouble("late"))
  }

  @Test func `of a request are cancelled when the last reader has gone, and not before`()
    async throws
  {
    let (ends, ended) = AsyncStream<Bool>.makeStream()
    @Sendable func send() async throws -> EventStream<TurnEvent> {
      try await events.run("r", claim, patience: .milliseconds(1)) {
        events.publish(.trouble("began"), session: "a", request: "r")
        while (try? await Task.sleep(for: .seconds(60))) != nil {}
        ended.yield(Task.isCancelled)
      }
    }
    var second: EventStream<TurnEvent>? = try await send()
    do {
      var first: EventStream<TurnEvent>? = try await send()
      _ = first
      first = nil
    }
    var iterator = second?.makeAsyncIterator()
    #expect(try await iterator?.next() == .trouble("began"))
    (iterator, second) = (nil, nil)
    #expect(await ends.first { _ in true } == true)
  }
}
