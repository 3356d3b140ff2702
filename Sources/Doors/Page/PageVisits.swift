import Coordinator
import HTTPTypes
import Synchronization

/// Lets the inspector page in, and keeps the token of the door out of browsers.
///
/// A ticket stands in an address, which other programs of this machine may read in a list of
/// processes. It is therefore good for one exchange within a minute; the token that the page gets for
/// it travels in a body, and ends with the coordinator or after half a day.
package final class PageVisits: Sendable {
  private static let ticketLife = Duration.seconds(60)
  private static let visitLife = Duration.seconds(12 * 3600)
  /// The oldest give way to the next.
  private static let maximum = 64

  private struct State {
    var tickets: [(secret: String, isReadOnly: Bool, end: ContinuousClock.Instant)] = []
    var visits: [(visit: PageVisit, end: ContinuousClock.Instant)] = []

    mutating func forget(before now: ContinuousClock.Instant) {
      tickets.removeAll { $0.end < now }
      visits.removeAll { $0.end < now }
      tickets.removeFirst(max(0, tickets.count - PageVisits.maximum))
      visits.removeFirst(max(0, visits.count - PageVisits.maximum))
    }
  }

  /// Whether every visit may only look.
  private let isReadOnly: Bool
  private let state = Mutex(State())

  package init(isReadOnly: Bool = false) { self.isReadOnly = isReadOnly }

  package func ticket(isReadOnly: Bool) -> PageTicket {
    let ticket = PageTicket(ticket: DoorServer.makeToken())
    state.withLock {
      let end = ContinuousClock.now + Self.ticketLife
      $0.tickets.append((ticket.ticket, isReadOnly || self.isReadOnly, end))
      $0.forget(before: .now)
    }
    return ticket
  }

  /// Exchanges a ticket, which is good no more afterwards.
  /// - Parameter field: The ticket as the `Authorization` field has it.
  /// - Returns: `nil` for a ticket that is unknown, used or too old.
  func exchange(_ field: String) -> PageVisit? {
    state.withLock { state in
      state.forget(before: .now)
      guard let place = state.tickets.firstIndex(where: { "Bearer \($0.secret)" == field }) else {
        return nil
      }
      let ticket = state.tickets.remove(at: place)
      let visit = PageVisit(token: DoorServer.makeToken(), isReadOnly: ticket.isReadOnly)
      state.visits.append((visit, .now + Self.visitLife))
      state.forget(before: .now)
      return visit
    }
  }

  /// Returns the visit whose token the `Authorization` field has.
  func visit(by field: String) -> PageVisit? {
    state.withLock { state in
      state.forget(before: .now)
      return state.visits.first { "Bearer \($0.visit.token)" == field }?.visit
    }
  }
}

/// Lets the page in once.
package struct PageTicket: Codable, Sendable, Equatable {
  package let ticket: String
}

/// What the page may do, and the token by which it does.
package struct PageVisit: Codable, Sendable, Equatable {
  package let token: String
  /// Whether it may only look.
  package let isReadOnly: Bool

  /// What a page does in a person's name; it stops no coordinator.
  private static let actions: Set<Substring> = [
    Substring(Routes.Path.prompts), Substring(Routes.Path.cancellation),
    Substring(Routes.Path.resumption), Substring(Routes.Path.approvals),
  ]

  /// Refuses what the page may not do.
  func check(_ method: HTTPRequest.Method, _ path: Substring) throws(ServiceError) {
    if method == .get { return }
    guard !isReadOnly else {
      throw ServiceError(.forbidden, "This page may only look, as it was started to.")
    }
    guard Self.actions.contains(path) else {
      throw ServiceError(.forbidden, "The page may not ask for \(path).")
    }
  }
}
