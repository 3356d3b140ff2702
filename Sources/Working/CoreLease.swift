import CSystem
import Llama
import Synchronization
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The cores that this process computes on: asked of the coordinator before every request to the
/// model, and given back after it.
///
/// Requests of this process that come at the same time take turns here; the coordinator sees one.
final class CoreLease: CoreSharing {
  private enum Phase: Equatable {
    case none
    case asked
    case held
  }

  /// As long as words take to the coordinator when there is a core for them.
  private static let microsecondsForWords: UInt32 = 500

  private struct Waiter {
    let ticket: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var phase = Phase.none
    var waiting: [Waiter] = []
    var lastTicket = 0
    /// Numbers the questions: an answer to one that was taken back means nothing.
    var request = 0
    /// The last answer to the question.
    var grant: CoreGrant?
    /// The number of the last answer that is followed.
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
      // The next of this process stands behind those of others that came before it.
      if !state.waiting.isEmpty { ask(&state) }
    }
  }

  /// As many as the coordinator said last; it hears that they are not exceeded any more.
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

  /// Steps leave no core free on a small machine: without this, each word of the answer waits for the
  /// end of a slice of time at every thread that it passes.
  func prepareThread() {
    // Where the kernel refuses, words come later.
    _ = csystem_yield_readily()
  }

  /// The next step would take all cores again, and the first words, which somebody waits for, would
  /// wait with everybody who carries them.
  func letWordsThrough() { usleep(Self.microsecondsForWords) }

  /// The coordinator says on how many cores a request may compute.
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
      // A cancellation that came before this point has found nobody to tell.
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

  /// Called under the lock, as all that is said here: the coordinator hears it in the order in which
  /// it became so.
  private func ask(_ state: inout State) {
    state.phase = .asked
    state.request += 1
    outbox.send(.wantsCores(state.request))
  }
}
