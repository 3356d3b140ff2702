import Synchronization
package import Wire

/// The cores of this machine that workers and templates share for computing.
package final class Cores: CoreArbiter {
  /// Tells a process how many cores it may compute on, or that another process waits for them.
  package typealias Notice = @Sendable (ToWorker) -> Void

  /// How long a process waits before watchers are told, and how often they are told again.
  private static let noticePatience = Duration.seconds(1)
  /// How long a process may keep computing on cores that it was told to leave.
  ///
  /// One step of a computation is shorter; one that hangs must not keep cores from the others.
  private static let adoptionPatience = Duration.seconds(5)

  private struct Ask {
    let request: Int
    let tell: Notice
  }

  /// A process that was told to use fewer cores, or none, and has not confirmed it.
  private struct Reluctant {
    let run: RunID
    let request: Int
    /// The grant that told it; `nil` for one that was called back.
    let number: Int?
  }

  private struct State {
    var queue: CoreQueue
    var asks: [RunID: Ask] = [:]
    /// The processes whose waits a task is reporting.
    var reported: Set<RunID> = []

    mutating func giveBack(_ run: RunID) -> [CoreQueue.Step] {
      asks[run] = nil
      return queue.giveBack(run)
    }

    /// Turns steps into the messages to send and the functions that send them.
    func messages(_ steps: [CoreQueue.Step]) -> [(Notice, ToWorker)] {
      steps.compactMap { step in
        switch step {
        case .grant(let run, let number, let count):
          asks[run].map { ask in
            (ask.tell, .cores(CoreGrant(request: ask.request, number: number, count: count)))
          }
        case .callBack(let run): asks[run].map { ($0.tell, .yieldCores($0.request)) }
        }
      }
    }

    func wait(of run: RunID) -> CoreWait? {
      guard let index = queue.queue.firstIndex(of: run) else { return nil }
      return CoreWait(run: run, place: index + 1, cores: queue.cores)
    }

    func reluctant(among steps: [CoreQueue.Step]) -> [Reluctant] {
      queue.reluctant(among: steps).compactMap { run, number in
        asks[run].map { Reluctant(run: run, request: $0.request, number: number) }
      }
    }
  }

  /// The processes that have waited for long, reported again whenever their place changes.
  package let waits: AsyncStream<CoreWait>
  private let continuation: AsyncStream<CoreWait>.Continuation
  private let state: Mutex<State>

  /// Shares a number of cores.
  /// - Parameter count: How many there are; at least one.
  package init(_ count: Int) {
    state = Mutex(State(queue: CoreQueue(cores: count)))
    (waits, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
  }

  package func ask(_ run: RunID, request: Int, isAhead: Bool, tell: @escaping Notice) {
    let waitsAnew: Bool = change { state in
      state.asks[run] = Ask(request: request, tell: tell)
      let steps = state.queue.ask(run, isAhead: isAhead)
      guard !isAhead, !state.queue.isHeld(by: run) else { return (steps, false) }
      return (steps, state.reported.insert(run).inserted)
    }
    // Unstructured: it ends with the wait that it reports.
    if waitsAnew { Task { await self.report(run, request) } }
  }

  package func adopt(_ run: RunID, grant number: Int) {
    change { ($0.queue.adopt(run, grant: number), ()) }
  }

  package func giveBack(_ run: RunID) {
    change { ($0.giveBack(run), ()) }
  }

  /// Takes the cores from a process that has nothing to compute.
  ///
  /// One that waits keeps its place: it may have given its cores back and asked anew just now.
  package func takeBack(from run: RunID) {
    change { ($0.queue.isHeld(by: run) ? $0.giveBack(run) : [], ()) }
  }

  package func raise(_ run: RunID) {
    change { ($0.queue.raise(run), ()) }
  }

  package func resize(to count: Int) {
    guard state.withLock({ $0.queue.cores != count }) else { return }
    change { ($0.queue.resize(to: count), ()) }
  }

  /// Returns the place of a process in the queue; `nil` if it does not wait.
  package func wait(of run: RunID) -> CoreWait? { state.withLock { $0.wait(of: run) } }

  /// How many cores there are, how many are in use and how many processes wait.
  package var load: CoreLoad {
    state.withLock { state in
      CoreLoad(
        cores: state.queue.cores,
        busy: state.queue.busy,
        waiting: state.queue.queue.count
      )
    }
  }

  package var isIdle: Bool {
    state.withLock { $0.queue.busy == 0 && $0.queue.queue.isEmpty }
  }

  private func change<Result>(
    _ body: (inout State) -> (steps: [CoreQueue.Step], result: Result)
  ) -> Result {
    let (messages, late, result) = state.withLock { state in
      let (steps, result) = body(&state)
      return (state.messages(steps), state.reluctant(among: steps), result)
    }
    for (tell, message) in messages { tell(message) }
    // Unstructured: it ends after its patience.
    if !late.isEmpty { Task { await presume(late) } }
    return result
  }

  private func presume(_ late: [Reluctant]) async {
    try? await Task.sleep(for: Self.adoptionPatience, clock: .suspending)
    for one in late {
      change { state in
        // The process may have returned its cores since and be computing again.
        guard state.asks[one.run]?.request == one.request else { return ([], ()) }
        if let number = one.number { return (state.queue.adopt(one.run, grant: number), ()) }
        return (state.queue.isCalledBack(one.run) ? state.giveBack(one.run) : [], ())
      }
    }
  }

  /// Reports a process's waits until it no longer waits.
  private func report(_ run: RunID, _ first: Int) async {
    var (request, place) = (first, 0)
    while true {
      try? await Task.sleep(for: Self.noticePatience)
      let waiting = state.withLock { state -> (request: Int, wait: CoreWait)? in
        guard let ask = state.asks[run], let wait = state.wait(of: run) else {
          state.reported.remove(run)
          return nil
        }
        return (ask.request, wait)
      }
      guard let waiting else { return }
      // It has computed in the meantime, so its wait is measured from now.
      guard waiting.request == request else {
        (request, place) = (waiting.request, 0)
        continue
      }
      if waiting.wait.place != place { continuation.yield(waiting.wait) }
      place = waiting.wait.place
    }
  }
}
