import Dispatch
import Supervision
import Synchronization
import Wire

/// The connection that takes the place of a launcher's pipes, where the outpost makes one.
final class DirectRoute: Sendable {
  private enum Phase {
    case none
    case failed(String)
    /// The outpost has proved that it has the key, and has not used the connection yet.
    case proven(DirectConnection)
    case used(DirectConnection)
    case closed(ConnectBack?)
  }

  private let phase = Mutex(Phase.none)

  /// What became of it; `nil` where the outpost was to make none, or has not yet.
  var outcome: ConnectBack? {
    phase.withLock { phase in
      switch phase {
      case .none, .proven: nil
      case .failed(let problem): .failed(problem)
      case .used: .connected
      case .closed(let outcome): outcome
      }
    }
  }

  func fail(_ problem: String) {
    phase.withLock { if case .none = $0 { $0 = .failed(problem) } }
  }

  /// Listens for an outpost.
  ///
  /// - Parameters:
  ///   - sender: What is sent through the connection once the outpost uses it.
  ///   - take: Receives what comes, on a thread of its own.
  ///   - onEnd: Called when a connection that was used has ended, with what broke the protocol.
  /// - Returns: What the outpost is told.
  func listen(
    at place: ConnectBackPlace,
    epoch: UInt32,
    _ sender: ChannelSender,
    take: @escaping @Sendable (ChannelDecoder<FromOutpost>.Event) throws(WireBreach) -> Void,
    onEnd: @escaping @Sendable (WireBreach?) -> Void
  ) throws(DirectConnection.Problem) -> ConnectBackOffer {
    let listener = try ConnectBackListener(place)
    // A thread of its own, because waiting and reading block; it ends with the connection.
    DispatchQueue(label: "connect-back").async { [self] in
      guard let connection = listener.accept(), keep(connection) else { return }
      var decoder = ChannelDecoder<FromOutpost>(epoch: epoch)
      do throws(WireBreach) {
        try connection.read { (record) throws(WireBreach) in
          use(connection, for: sender)
          decoder.append(record)
          while let event = try decoder.next() { try take(event) }
        }
        onEnd(nil)
      } catch {
        onEnd(error)
      }
    }
    return listener.offer
  }

  /// - Returns: Whether the connection is of use still.
  private func keep(_ connection: DirectConnection) -> Bool {
    phase.withLock { phase in
      guard case .none = phase else {
        connection.close()
        return false
      }
      phase = .proven(connection)
      return true
    }
  }

  /// Sends through the connection from now on: the outpost does so as well.
  private func use(_ connection: DirectConnection, for sender: ChannelSender) {
    let isFirst = phase.withLock { phase in
      guard case .proven = phase else { return false }
      phase = .used(connection)
      return true
    }
    if isFirst { connection.carry(sender) }
  }

  /// Has the connection carry what waits to be sent; calls `pipes` where they carry it.
  func write(orBy pipes: () -> Void) {
    // Under the lock, so that no message is divided among the two.
    phase.withLock { phase in
      if case .used(let connection) = phase { connection.wake() } else { pipes() }
    }
  }

  func close() {
    let outcome = outcome
    phase.withLock { phase in
      switch phase {
      case .proven(let connection), .used(let connection): connection.close()
      case .none, .failed, .closed: break
      }
      phase = .closed(outcome)
    }
  }
}
