/// Lets this process compute only while it has a core, and says how many it has.
package protocol CoreSharing: Sendable {
  /// Waits for a core.
  ///
  /// The caller gives it back with `release`, and in the meantime waits for nothing but its
  /// computation.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; then there is no core to give back.
  func acquire() async throws
  func release()
  /// The number of cores that the holder has now.
  ///
  /// Read before every step of a computation, which then keeps to it.
  var count: Int { get }
  /// Called on the computing thread before it computes.
  func prepareThread()
  /// Called on that thread when the beginning of an answer is out, before it continues.
  func letWordsThrough()
}
