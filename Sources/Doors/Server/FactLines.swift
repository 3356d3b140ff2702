import Coordination
import Coordinator
import Foundation
import Journal

/// The facts of sessions as lines of JSON, read and encoded once for all who follow a session.
///
/// Each follower asks for what comes after the place that it has reached. So nothing is held for one
/// that is slow: what is no longer here, it reads from the journal.
actor FactLines {
  /// How long a session is not read again: more often than this cannot be seen.
  private static let pause = Duration.milliseconds(50)
  /// How long a session is read that has no followers.
  private static let patience = Duration.seconds(5)
  /// The bytes of a session's lines that are kept.
  private let maximumBytes: Int

  private typealias Waiter = CheckedContinuation<Void, any Error>

  private struct Feed {
    /// The facts after `start`, up to `end`.
    var lines: [FactLine] = []
    var bytes = 0
    var start: Int64
    var end: Int64
    var waiting: [Int: Waiter] = [:]
    var lastUse = ContinuousClock.now
  }

  /// Returns facts of a session after a place, as many as are read at once.
  typealias Reading = @Sendable (_ session: String, _ place: Int64) async throws -> [FactLine]
  /// Returns what happens in a session.
  typealias Watching = @Sendable (_ session: String) async throws -> EventStream<SessionEvent>

  private let facts: Reading
  private let events: Watching
  private var feeds: [String: Feed] = [:]
  private var lastWaiter = 0

  init(_ service: any CoordinatorService) {
    self.init { session, place in
      try await service.facts(of: session, after: place).map { row in
        FactLine(id: row.place, json: try ServiceJSON.encode(row))
      }
    } events: { session in
      try await service.events(of: session, since: nil)
    }
  }

  init(
    maximumBytes: Int = 1 << 20,
    facts: @escaping Reading,
    events: @escaping Watching
  ) {
    (self.maximumBytes, self.facts, self.events) = (maximumBytes, facts, events)
  }

  /// The facts of a session after a place, and those to come.
  struct Following: AsyncSequence, Sendable {
    let lines: FactLines
    let session: String
    let place: Int64

    func makeAsyncIterator() -> Iterator {
      Iterator(lines: lines, session: session, place: place)
    }

    struct Iterator: AsyncIteratorProtocol {
      let lines: FactLines
      let session: String
      var place: Int64

      mutating func next() async throws -> WatchLine? {
        let next = try await lines.next(of: session, after: place)
        place = next.last?.id ?? place
        return .facts(Data(next.map(\.json).joined(separator: [UInt8(ascii: "\n")])))
      }
    }
  }

  /// Returns the facts after a place; waits until there are any.
  private func next(of session: String, after place: Int64) async throws -> ArraySlice<FactLine> {
    while true {
      let feed = open(session, at: place)
      if place < feed.start {
        let lines = try await read(session, after: place)
        if !lines.isEmpty { return lines[...] }
        guard feeds[session]?.end == feed.end else { continue }
        // The journal has nothing after this place: the feed was begun at one that is not there yet.
        if feed.lines.isEmpty { empty(session, at: place) }
      } else if place < feed.end {
        return feed.lines.drop { $0.id <= place }
      }
      try await wait(for: session)
    }
  }

  /// Returns what is known of a session, which is read from now on.
  private func open(_ session: String, at place: Int64) -> Feed {
    defer { feeds[session]?.lastUse = .now }
    if let feed = feeds[session] { return feed }
    let feed = Feed(start: place, end: place)
    feeds[session] = feed
    // Unstructured: ends when the session has had no followers for a while.
    Task { await self.follow(session) }
    return feed
  }

  private func wait(for session: String) async throws {
    lastWaiter += 1
    let number = lastWaiter
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        guard !Task.isCancelled else { return waiter.resume(throwing: CancellationError()) }
        // It has ended, and begins anew.
        guard feeds[session] != nil else { return waiter.resume() }
        feeds[session]?.waiting[number] = waiter
      }
    } onCancel: {
      Task { await self.cancel(number, of: session) }
    }
  }

  private func cancel(_ number: Int, of session: String) {
    feeds[session]?.waiting.removeValue(forKey: number)?.resume(throwing: CancellationError())
  }

  // MARK: Reading

  /// Reads a session whenever something happens in it, and every second, since not all facts are
  /// events, until there are no followers.
  private func follow(_ session: String) async {
    let (changes, changed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    changed.yield()
    await withTaskGroup(of: Void.self) { [events] group in
      group.addTask {
        guard let events = try? await events(session) else { return }
        do {
          for try await event in events where event.event.unfinishedText == nil { changed.yield() }
        } catch {
          // The seconds remain.
        }
      }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(1))) != nil { changed.yield() }
      }
      for await _ in changes {
        guard isFollowed(session) else { break }
        do {
          // A step makes facts faster than they are read: what is new then is read the next time.
          if try await readOn(session) { changed.yield() }
        } catch {
          close(session, error)
          break
        }
        try? await Task.sleep(for: Self.pause)
      }
      group.cancelAll()
    }
  }

  private func isFollowed(_ session: String) -> Bool {
    guard let feed = feeds[session] else { return false }
    if !feed.waiting.isEmpty || feed.lastUse + Self.patience > .now { return true }
    feeds[session] = nil
    return false
  }

  private func close(_ session: String, _ error: any Error) {
    for waiter in feeds.removeValue(forKey: session)?.waiting.values ?? [:].values {
      waiter.resume(throwing: error)
    }
  }

  /// - Returns: Whether there was something new.
  private func readOn(_ session: String) async throws -> Bool {
    guard let place = feeds[session]?.end else { return false }
    let new: [FactLine]
    do {
      new = try await facts(session, place)
    } catch  where ServiceError(error).code == .notFound {
      // It was deleted, or has not begun.
      empty(session, at: place)
      return false
    }
    guard var feed = feeds[session], let last = new.last else { return false }
    feed.lines += new
    feed.bytes += new.reduce(0) { $0 + $1.json.count }
    feed.end = last.id
    var excess = 0
    while feed.bytes > maximumBytes {
      feed.bytes -= feed.lines[excess].json.count
      feed.start = feed.lines[excess].id
      excess += 1
    }
    feed.lines.removeFirst(excess)
    let waiting = feed.waiting.values
    feed.waiting = [:]
    feeds[session] = feed
    for waiter in waiting { waiter.resume() }
    return true
  }

  private func empty(_ session: String, at place: Int64) {
    guard var feed = feeds[session] else { return }
    (feed.lines, feed.bytes, feed.start, feed.end) = ([], 0, place, place)
    feeds[session] = feed
  }

  /// Reads a page of facts; none of a session that does not exist yet.
  private func read(_ session: String, after place: Int64) async throws -> [FactLine] {
    do {
      return try await facts(session, place)
    } catch  where ServiceError(error).code == .notFound {
      return []
    }
  }
}

struct FactLine: Sendable {
  let id: Int64
  let json: Data
}
