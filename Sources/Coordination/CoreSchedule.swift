package import Wire

/// What Coordination needs of the cores that workers share; Supervision's scheduler provides it.
package protocol CoreSchedule: Sendable {
  /// The processes that have waited for long, reported again whenever their place changes.
  var waits: AsyncStream<CoreWait> { get }
  /// How many cores there are, how many are in use and how many processes wait.
  var load: CoreLoad { get }
  /// Returns the place of a process in the queue; `nil` if it does not wait.
  func wait(of run: RunID) -> CoreWait?
  /// Takes the cores from a process that has nothing to compute.
  func takeBack(from run: RunID)
}
