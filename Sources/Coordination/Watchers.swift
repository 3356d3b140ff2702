import Journal
import Synchronization

/// Who is shown what happens in a turn of an earlier coordinator: whoever waits for it now.
///
/// Who comes later is told with what it began, and what a person is still asked.
final class Watchers: Sendable {
  typealias Watch = @Sendable (TurnEvent) -> Void

  private struct State {
    var opening: [TurnEvent] = []
    var asked: [TurnEvent] = []
    var watches: [Int: Watch] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Keeps an event for everybody who comes.
  func open(with event: TurnEvent) { state.withLock { $0.opening.append(event) } }

  /// Shows everything from now on; returns what ends it.
  func join(_ watch: @escaping Watch) -> Int {
    let (place, missed) = state.withLock { state in
      defer { state.next += 1 }
      state.watches[state.next] = watch
      return (state.next, state.opening + state.asked)
    }
    missed.forEach(watch)
    return place
  }

  func leave(_ place: Int) { state.withLock { $0.watches[place] = nil } }

  func tell(_ event: TurnEvent) {
    let watches = state.withLock { state in
      switch event {
      case .approvalAsked: state.asked.append(event)
      case .approvalAnswered(let answered):
        state.asked.removeAll { asked in
          if case .approvalAsked(let record) = asked { record.id == answered.id } else { false }
        }
      default: break
      }
      return state.watches.sorted { $0.key < $1.key }.map(\.value)
    }
    for watch in watches { watch(event) }
  }
}

/// A turn of an earlier coordinator, while it goes on.
struct ResumedTurn: Sendable {
  let result: Task<TurnResult, Never>
  let watchers: Watchers
}
