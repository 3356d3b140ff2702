import Journal
import Synchronization
import Transcripts

/// The watchers of a turn that an earlier coordinator began: all that wait for it now.
///
/// Later arrivals are shown how it began and what a person is still being asked.
final class ResumedTurnWatchers: Sendable {
  typealias Watch = @Sendable (TurnEvent) -> Void

  fileprivate struct Watcher {
    let watch: Watch
    /// The entries that the watcher has seen begin; changes to any other would mean nothing to it.
    var begun: Set<String> = []
  }

  private struct State {
    var opening: [TurnEvent] = []
    var asked: [TurnEvent] = []
    var watchers: [Int: Watcher] = [:]
    var next = 0
  }

  // Events are shown under the lock, so that all watchers see them in the same order.
  private let state = Mutex(State())

  /// Records an event to show to all that join.
  func open(with event: TurnEvent) { state.withLock { $0.opening.append(event) } }

  /// Shows a watcher everything from now on.
  /// - Returns: The number with which to leave.
  func join(_ watch: @escaping Watch) -> Int {
    state.withLock { state in
      defer { state.next += 1 }
      state.watchers[state.next] = Watcher(watch: watch)
      for event in state.opening + state.asked { watch(event) }
      return state.next
    }
  }

  func leave(_ place: Int) { state.withLock { $0.watchers[place] = nil } }

  func show(_ event: TurnEvent) {
    state.withLock { state in
      switch event {
      case .approvalAsked: state.asked.append(event)
      case .approvalAnswered(let answered):
        state.asked.removeAll { asked in
          if case .approvalAsked(let record) = asked { record.id == answered.id } else { false }
        }
      default: break
      }
      for place in state.watchers.keys.sorted() { state.watchers[place]?.show(event) }
    }
  }
}

extension ResumedTurnWatchers.Watcher {
  fileprivate mutating func show(_ event: TurnEvent) {
    if case .text(_, let change) = event {
      if change.keptBytes == 0 { begun.insert(change.entryID) }
      guard begun.contains(change.entryID) else { return }
    }
    watch(event)
  }
}

/// A turn of an earlier coordinator while it continues.
struct ResumedTurn: Sendable {
  let id: Int64
  let result: Task<TurnPart, Never>
  let watchers: ResumedTurnWatchers

  /// What the turn comes to.
  /// - Throws: `CancellationError` when the caller has gone away; the turn goes on.
  var part: TurnPart {
    get async throws {
      // Waiting for a task does not end when the waiter is cancelled; waiting for a stream does.
      let (results, continuation) = AsyncStream<TurnPart>.makeStream()
      Task {
        continuation.yield(await result.value)
        continuation.finish()
      }
      for await result in results { return result }
      throw CancellationError()
    }
  }
}

/// The place of a watcher among those of a resumed turn.
struct WatcherPlace {
  let watchers: ResumedTurnWatchers
  let number: Int

  func leave() { watchers.leave(number) }
}
