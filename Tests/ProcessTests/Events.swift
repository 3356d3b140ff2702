import Coordination
import Synchronization

/// Collects the events that an observer is shown.
final class Events: Sendable {
  private let events = Mutex<[TurnEvent]>([])

  var all: [TurnEvent] { events.withLock { $0 } }

  func note(_ event: TurnEvent) { events.withLock { $0.append(event) } }
}
