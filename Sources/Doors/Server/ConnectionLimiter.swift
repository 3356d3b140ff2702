import Synchronization

/// Counts the connections of a listener.
///
/// A slow client keeps no other out: when all places are taken, the one that has been arriving for
/// the longest time gives way to the next. A request that is being answered never does.
final class ConnectionLimiter: Sendable {
  private struct State {
    /// The connections whose request is arriving, oldest first.
    var arriving: [(number: Int, evict: @Sendable () -> Void)] = []
    var answering: Set<Int> = []
    /// Those of them whose requests need no token.
    var open: Set<Int> = []
    var last = 0
  }

  let limits: ConnectionLimits
  private let state = Mutex(State())

  init(_ limits: ConnectionLimits) { self.limits = limits }

  /// Admits a connection.
  /// - Parameter evict: Ends it in favor of another.
  /// - Returns: The number that identifies it.
  func enter(evict: @escaping @Sendable () -> Void) -> Int {
    let (number, oldest) = state.withLock { state in
      let oldest =
        state.arriving.count >= limits.arriving ? state.arriving.removeFirst() : nil
      state.last += 1
      state.arriving.append((state.last, evict))
      return (state.last, oldest)
    }
    oldest?.evict()
    return number
  }

  /// Lets a request that has arrived be answered, if there is room.
  /// - Parameter isOpen: Whether it needs no token; all such clients together keep no other out.
  /// - Returns: Whether there is.
  func answer(_ number: Int, isOpen: Bool) -> Bool {
    state.withLock { state in
      guard state.answering.count < limits.answering, !isOpen || state.open.count < limits.open,
        let place = state.arriving.firstIndex(where: { $0.number == number })
      else { return false }
      state.arriving.remove(at: place)
      state.answering.insert(number)
      if isOpen { state.open.insert(number) }
      return true
    }
  }

  func leave(_ number: Int) {
    state.withLock { state in
      state.arriving.removeAll { $0.number == number }
      state.answering.remove(number)
      state.open.remove(number)
    }
  }

  /// Returns when no request is being answered, or after this time at the latest.
  func idle(within patience: Duration) async {
    let deadline = ContinuousClock.now + patience
    while state.withLock({ !$0.answering.isEmpty }), ContinuousClock.now < deadline {
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
    }
  }
}
