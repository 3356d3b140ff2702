import Foundation
import Synchronization

/// The clients over HTTP that began with a handshake, by the name of their session.
///
/// Most clients never end theirs: when there are too many, the one that was used least recently is
/// forgotten, and begins another.
final class MCPSessions: Sendable {
  static let maximum = 64

  private struct State {
    var connections: [String: MCPConnection] = [:]
    /// The names, least recently used first.
    var order: [String] = []
  }

  private let state = Mutex(State())

  /// Adds a client.
  /// - Returns: The name of its session, which cannot be guessed.
  func add(_ connection: MCPConnection) -> String {
    let name = UUID().uuidString
    state.withLock { state in
      state.connections[name] = connection
      state.order.append(name)
      guard state.order.count > Self.maximum else { return }
      // What goes on in it ends by itself.
      state.connections[state.order.removeFirst()] = nil
    }
    return name
  }

  func connection(_ name: String) -> MCPConnection? {
    state.withLock { state in
      guard let connection = state.connections[name] else { return nil }
      state.order.removeAll { $0 == name }
      state.order.append(name)
      return connection
    }
  }

  func remove(_ name: String) -> MCPConnection? {
    state.withLock { state in
      state.order.removeAll { $0 == name }
      return state.connections.removeValue(forKey: name)
    }
  }
}
