import Foundation
import Synchronization
import Testing

@testable import Coordination
@testable import Coordinator
@testable import Doors

@Suite(.timeLimit(.minutes(1))) struct `Facts on their lines` {
  /// A journal of one session, and its events.
  private final class Source: Sendable {
    struct State {
      var facts: [FactLine] = []
      var reads = 0
      var watcher: AsyncThrowingStream<SessionEvent, any Error>.Continuation?
    }

    let state = Mutex(State())

    func lines(maximumBytes: Int = 1 << 20) -> FactLines {
      FactLines(maximumBytes: maximumBytes) { [self] session, place in
        try state.withLock { state in
          state.reads += 1
          guard session == "talk", !state.facts.isEmpty else {
            throw ServiceError(.notFound, "There is no such session.")
          }
          return Array(state.facts.drop { $0.id <= place }.prefix(4))
        }
      } events: { [self] _ in
        let (stream, continuation) = AsyncThrowingStream<SessionEvent, any Error>.makeStream()
        state.withLock { $0.watcher = continuation }
        return EventStream(stream)
      }
    }

    func record(_ ids: ClosedRange<Int64>) {
      state.withLock { state in
        state.facts += ids.map { FactLine(id: $0, json: Data("{\"id\":\($0)}".utf8)) }
      }
      happen()
    }

    func happen() {
      let event = SessionEvent(position: 1, session: "talk", event: .trouble("new"))
      _ = state.withLock { $0.watcher?.yield(event) }
    }
  }

  /// Reads until a place.
  private func read(_ lines: FactLines, from place: Int64 = 0, to last: Int64) async throws
    -> [String]
  {
    var found: [String] = []
    for try await part in FactLines.Following(lines: lines, session: "talk", place: place) {
      found += String(decoding: try part.json, as: UTF8.self).split(separator: "\n").map(
        String.init
      )
      if found.last == "{\"id\":\(last)}" { break }
    }
    return found
  }

  private func lines(_ ids: ClosedRange<Int64>) -> [String] { ids.map { "{\"id\":\($0)}" } }

  @Test func `are read once for all who follow, also those to come`() async throws {
    let source = Source()
    source.record(1...3)
    let facts = source.lines()
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<20 { group.addTask { try await read(facts, to: 6) } }
      while source.state.withLock({ $0.reads < 2 || $0.watcher == nil }) { await Task.yield() }
      source.record(4...6)
      for try await found in group { #expect(found == lines(1...6)) }
    }
    // Once for each time that something was new, and once more to see that this was all.
    #expect(source.state.withLock(\.reads) < 10)
  }

  @Test func `are read from the journal by one that is too far behind`() async throws {
    let source = Source()
    source.record(1...20)
    // Two lines at a time are kept.
    let facts = source.lines(maximumBytes: 20)
    #expect(try await read(facts, to: 20) == lines(1...20))
    #expect(try await read(facts, from: 2, to: 20) == lines(3...20))
    #expect(try await read(facts, from: 19, to: 20) == lines(20...20))
  }

  @Test func `reach all who follow, also where one asks for what is not there yet`() async throws {
    let source = Source()
    let facts = source.lines()
    let early = Task { try await read(facts, from: 1000, to: 1001) }
    while source.state.withLock({ $0.reads == 0 || $0.watcher == nil }) { await Task.yield() }
    async let found = read(facts, to: 2)
    while source.state.withLock({ $0.reads < 2 }) { await Task.yield() }
    source.record(1...2)
    #expect(try await found == lines(1...2))
    early.cancel()
    await #expect(throws: (any Error).self) { try await early.value }
  }

  @Test func `of a deleted session are gone`() async throws {
    let source = Source()
    source.record(1...3)
    let facts = source.lines()
    #expect(try await read(facts, to: 3) == lines(1...3))
    let reads = source.state.withLock { state in
      state.facts = []
      return state.reads
    }
    source.happen()
    while source.state.withLock({ $0.reads == reads }) { await Task.yield() }
    source.happen()
    while source.state.withLock({ $0.reads < reads + 2 }) { await Task.yield() }
    source.record(10...11)
    #expect(try await read(facts, to: 11) == lines(10...11))
  }

  @Test func `of a session that does not exist yet are waited for`() async throws {
    let source = Source()
    let facts = source.lines()
    async let found = read(facts, to: 2)
    while source.state.withLock({ $0.reads == 0 || $0.watcher == nil }) { await Task.yield() }
    source.record(1...2)
    #expect(try await found == lines(1...2))
  }

  @Test func `are not waited for by one that has gone`() async throws {
    let facts = Source().lines()
    let reader = Task { try await read(facts, to: 1) }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
  }
}
