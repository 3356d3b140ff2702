/// Lets this process compute only while a core is its own, and says how many are.
package protocol CoreSharing: Sendable {
  /// Waits for a core.
  ///
  /// Whoever has got one gives it back by `release`, and waits for nothing but its computation
  /// meanwhile.
  /// - Throws: `CancellationError` when the task is cancelled; then there is no core to give back.
  func acquire() async throws
  func release()
  /// How many there are now for whoever has got one.
  ///
  /// Asked before every step of a computation, which then keeps to it.
  var count: Int { get }
  /// Called on the thread that computes, before it does.
  func prepareThread()
  /// Called on that thread when the beginning of an answer is out, before it computes on.
  func letWordsThrough()
}
