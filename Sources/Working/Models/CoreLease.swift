import CSystemCalls
import Llama
import PlatformLibraries
import Synchronization
import Wire

/// The cores that this process computes on: requested from the coordinator before each model
/// request and returned after it.
///
/// Concurrent requests of this process take turns here; the coordinator sees only one.
final class CoreLease: CoreSharing {
  private enum Phase: Equatable {
    case none
    case asked
    case held
  }

  /// How long text takes to reach the coordinator when a core is free to carry it.
  private static let microsecondsForWords: UInt32 = 500

  private struct Waiter {
    let ticket: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var phase = Phase.none
    var waiting: [Waiter] = []
    var lastTicket = 0
    /// Numbers the requests: an answer to a withdrawn one is ignored.
    var request = 0
    /// The latest answer to the current request.
    var grant: CoreGrant?
    /// The number of the latest answer that was adopted.
    var adopted = 0
  }

  private let state = Mutex(State())
  private let outbox: Outbox

  init(outbox: Outbox) {
    self.outbox = outbox
  }

  func acquire() async throws {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { enter(ticket, $0) }
    } onCancel: {
      leave(ticket)
    }
  }

  func release() {
    state.withLock { state in
      outbox.send(.returnsCores)
      state.phase = .none
      // This process's next request queues behind earlier ones of other processes.
      if !state.waiting.isEmpty { ask(&state) }
    }
  }

  /// The number of cores granted last; reading it reports the grant as adopted.
  var count: Int {
    state.withLock { state in
      guard let grant = state.grant else { return 1 }
      if grant.number != state.adopted {
        state.adopted = grant.number
        outbox.send(.adopted(grant: grant.number))
      }
      return grant.count
    }
  }

  /// Makes this thread yield readily.
  ///
  /// Steps leave no core free on a small machine: otherwise each word of the answer would wait for
  /// the end of a time slice at every thread that it passes.
  func prepareThread() {
    // Where the kernel refuses, words arrive later.
    _ = csystem_yield_readily()
  }

  /// Pauses briefly so that the first words get through.
  ///
  /// The next step would take all cores again, and the first words would wait for its end.
  func letWordsThrough() { usleep(Self.microsecondsForWords) }

  /// Records a grant of cores for a request.
  func take(_ grant: CoreGrant) {
    let next = state.withLock { state -> Waiter? in
      guard state.phase != .none, grant.request == state.request else { return nil }
      guard grant.isLatest(after: state.grant) else { return nil }
      state.grant = grant
      guard state.phase == .asked else { return nil }
      state.phase = .held
      state.adopted = grant.number
      return state.waiting.removeFirst()
    }
    next?.continuation.resume()
  }

  private func enter(_ ticket: Int, _ continuation: CheckedContinuation<Void, any Error>) {
    let isCancelled = state.withLock { state in
      // A cancellation before this point found no waiter.
      if Task.isCancelled { return true }
      state.waiting.append(Waiter(ticket: ticket, continuation: continuation))
      if state.phase == .none { ask(&state) }
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  private func leave(_ ticket: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
      defer {
        if state.phase == .asked, state.waiting.isEmpty {
          outbox.send(.returnsCores)
          state.phase = .none
        }
      }
      return state.waiting.remove(at: index)
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  /// Asks for cores.
  ///
  /// Called under the lock, like everything sent here, so that the coordinator receives changes in
  /// the order in which they happened.
  private func ask(_ state: inout State) {
    state.phase = .asked
    state.request += 1
    outbox.send(.wantsCores(state.request))
  }
}
