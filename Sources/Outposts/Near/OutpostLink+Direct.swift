import Synchronization
import Wire

extension OutpostLink {
  /// Listens for the outpost's own connection, where the host is to make one.
  func connectBackOffer() -> ConnectBackOffer? {
    guard let place = host.connectBack else { return nil }
    do throws(DirectConnection.Problem) {
      return try launcher.direct.listen(at: place, epoch: epoch, sender) {
        [weak self] (event) throws(WireBreach) in
        self?.state.withLock { $0.silence = .zero }
        try self?.handle(event)
      } onEnd: { [weak self] breach in
        self?.end(breach.map { .breach($0.description) } ?? .closed)
      }
    } catch {
      launcher.direct.fail("listening on \(place) here: \(error)")
      return nil
    }
  }
}
