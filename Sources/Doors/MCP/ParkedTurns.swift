import Foundation
import Synchronization

/// Turns that wait until a client repeats its call with what a person entered.
///
/// A client that never comes back must not keep them: after a time, or when there are too many, the
/// oldest is dropped, which cancels it.
final class ParkedTurns: Sendable {
  /// Longer than any person is waited for by default, and than a turn takes after that.
  static let patience = Duration.seconds(600)
  static let maximum = 32

  private struct Parked {
    let turn: AgentTurn
    let expiry: Task<Void, Never>
  }

  private struct State {
    var turns: [String: Parked] = [:]
    /// The keys, oldest first.
    var order: [String] = []
  }

  private let state = Mutex(State())
  private let patience: Duration

  init(patience: Duration = ParkedTurns.patience) { self.patience = patience }

  /// Parks a turn.
  /// - Returns: What the client has to send to get it back, which cannot be guessed.
  func park(_ turn: AgentTurn) -> String {
    let key = UUID().uuidString
    // Unstructured: it outlives the request, and is cancelled when the turn is taken.
    let expiry = Task { [weak self, patience] in
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      _ = self?.remove(key)
    }
    let dropped = state.withLock { state -> Parked? in
      state.turns[key] = Parked(turn: turn, expiry: expiry)
      state.order.append(key)
      guard state.order.count > Self.maximum else { return nil }
      return state.turns.removeValue(forKey: state.order.removeFirst())
    }
    dropped?.expiry.cancel()
    return key
  }

  /// Takes a turn back, once.
  func take(_ key: String, of tool: String) -> AgentTurn? {
    // A state belongs to the call that it was given for.
    guard state.withLock({ $0.turns[key]?.turn.tool == tool }) else { return nil }
    let parked = remove(key)
    parked?.expiry.cancel()
    return parked?.turn
  }

  private func remove(_ key: String) -> Parked? {
    state.withLock { state in
      state.order.removeAll { $0 == key }
      return state.turns.removeValue(forKey: key)
    }
  }
}
