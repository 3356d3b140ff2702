import Dispatch

/// A timer that runs an action at a time unless it is cancelled.
///
/// A sleeping task stays allocated until its deadline even after it is cancelled, which adds up
/// over many short turns with long caps.
final class Alarm: Sendable {
  // Dispatch objects may be used from any thread.
  nonisolated(unsafe) private let source: any DispatchSourceTimer

  init(at time: SuspendingClock.Instant, _ action: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .global())
    let delay = SuspendingClock.now.duration(to: time)
    source.schedule(deadline: .now() + max(0, delay / .seconds(1)))
    source.setEventHandler(handler: action)
    source.resume()
  }

  deinit { source.cancel() }

  func cancel() { source.cancel() }
}
