import Foundation
import Synchronization

/// Those who have come to a door.
///
/// Who is slow to say what he wants keeps nobody out: when there is no place left, the one that has
/// been coming in for the longest time is sent away for the next. Nobody is who has been let in.
final class Lobby: Sendable {
  private struct State {
    /// Those that are coming in or being refused, in the order in which they came.
    var arrivals: [(number: Int, descriptor: Int32)] = []
    var sentAway: Set<Int> = []
    var guests: Set<Int> = []
    var last = 0
  }

  private let state = Mutex(State())
  private let arrivals: Int
  private let guests: Int

  /// - Parameters:
  ///   - arrivals: How many may be coming in.
  ///   - guests: How many may be let in.
  init(arrivals: Int, guests: Int) {
    self.arrivals = arrivals
    self.guests = guests
  }

  /// Takes somebody in who comes by a socket, which must stay open until he leaves.
  /// - Returns: The number by which he is known.
  func enter(_ descriptor: Int32) -> Int {
    state.withLock { state in
      if state.arrivals.count == arrivals {
        let oldest = state.arrivals.removeFirst()
        state.sentAway.insert(oldest.number)
        // Whoever waits for what he says hears the end of it.
        shutdown(oldest.descriptor, Int32(SHUT_RD))
      }
      state.last += 1
      state.arrivals.append((state.last, descriptor))
      return state.last
    }
  }

  func hasSentAway(_ number: Int) -> Bool {
    state.withLock { $0.sentAway.contains(number) }
  }

  /// - Returns: Whether there was a place.
  func letIn(_ number: Int) -> Bool {
    state.withLock { state in
      guard state.guests.count < guests, !state.sentAway.contains(number) else { return false }
      state.arrivals.removeAll { $0.number == number }
      state.guests.insert(number)
      return true
    }
  }

  func leave(_ number: Int) {
    state.withLock { state in
      state.arrivals.removeAll { $0.number == number }
      state.sentAway.remove(number)
      state.guests.remove(number)
    }
  }
}
