import Foundation
import Synchronization
import Wire

/// Everything that crosses the pipes of a stage, as a tee sees it.
final class Traffic: Sendable {
  /// One worker, what it was sent and what it said.
  struct Line: Sendable {
    let agent: String
    let run: RunID
    let pid: Int32
    let log: String
    var sent: [ToWorker] = []
    var heard: [WorkerEvent] = []

    /// Whether its model was asked.
    var hasAskedModel: Bool {
      sent.contains { if case .admitted = $0 { true } else { false } }
        || heard.contains { if case .message(.takesAdmission) = $0 { true } else { false } }
    }

    var death: Death? {
      guard case .ended(let death)? = heard.last else { return nil }
      return death
    }

    /// The bytes that the worker was sent.
    var bytes: [UInt8] {
      sent.flatMap { (try? MessageEncoder().frames(of: $0).flatMap(\.payload)) ?? [] }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private struct State {
    var lines: [Line] = []
    var waiters: [(condition: @Sendable ([Line]) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var lines: [Line] { state.withLock { $0.lines } }

  func lines(of agent: String) -> [Line] { lines.filter { $0.agent == agent } }

  func begin(_ line: Line) { change { $0.append(line) } }

  func note(_ run: RunID, _ note: (inout Line) -> Void) {
    change { lines in
      guard let index = lines.firstIndex(where: { $0.run == run }) else { return }
      note(&lines[index])
    }
  }

  /// Waits until the traffic has come to something, or the time of the test is over.
  func reach(_ condition: @escaping @Sendable ([Line]) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state.lines) || Task.isCancelled { return true }
          state.waiters.append((condition, continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiters = state.withLock { state in
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.1.resume() }
    }
  }

  private func change(_ body: (inout [Line]) -> Void) {
    let met = state.withLock { state in
      body(&state.lines)
      let lines = state.lines
      let met = state.waiters.filter { $0.condition(lines) }
      state.waiters.removeAll { $0.condition(lines) }
      return met
    }
    for waiter in met { waiter.1.resume() }
  }
}
