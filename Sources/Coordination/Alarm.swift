import Dispatch

/// Has something done after a time, unless it is called off.
///
/// A task that sleeps is held until its time has come, also when it is cancelled: of many short turns
/// with long caps that would be much. Its time is that of `SuspendingClock`.
final class Alarm: Sendable {
  // Dispatch's own objects may be used from any thread.
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
