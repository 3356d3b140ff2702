import Dispatch

/// A timer that runs an action after a delay unless it is cancelled.
///
/// A sleeping task stays allocated until its deadline even after it is cancelled, which adds up
/// over many short turns with long caps. The delay is measured like that of `SuspendingClock`.
final class Alarm: Sendable {
  // Dispatch objects may be used from any thread.
  nonisolated(unsafe) private let source: any DispatchSourceTimer

  init(after seconds: Int, _ action: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now() + .seconds(seconds))
    source.setEventHandler(handler: action)
    source.resume()
  }

  deinit { source.cancel() }

  func cancel() { source.cancel() }
}
