import Foundation
import Synchronization

/// The clients at a door.
///
/// A slow client keeps nobody out: when all places are taken, the one that has been arriving for
/// the longest time is sent away in favor of the next. Nobody who was let in is sent away.
final class Lobby: Sendable {
  private struct State {
    /// The clients that are arriving or being refused, in the order in which they came.
    var arrivals: [(number: Int, descriptor: Int32)] = []
    var sentAway: Set<Int> = []
    var guests: Set<Int> = []
    var last = 0
  }

  private let state = Mutex(State())
  private let arrivals: Int
  private let guests: Int

  /// Makes a lobby.
  /// - Parameters:
  ///   - arrivals: How many clients may be arriving.
  ///   - guests: How many clients may be let in.
  init(arrivals: Int, guests: Int) {
    self.arrivals = arrivals
    self.guests = guests
  }

  /// Admits a client on a socket, which must stay open until the client leaves.
  /// - Returns: The number that identifies the client.
  func enter(_ descriptor: Int32) -> Int {
    state.withLock { state in
      if state.arrivals.count == arrivals {
        let oldest = state.arrivals.removeFirst()
        state.sentAway.insert(oldest.number)
        // Whatever is reading from this client sees the end of its input.
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

  /// Lets a client in if there is room.
  /// - Returns: Whether there was.
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
