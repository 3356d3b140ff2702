import PlatformLibraries
import Supervision
import Synchronization
import Wire

/// One life of an outpost, from here: its launcher's process and all that crosses the channel.
final class OutpostLink: Sendable {
  struct Input: Sendable {
    var scanner = PreambleScanner()
    var decoder = ChannelDecoder<FromOutpost>(epoch: 0)
    var credits = CreditCount()
  }

  let host: HostDefinition
  let parts: HomeParts
  let timeouts: OutpostTimeouts
  /// Tells this life from all others of the host.
  let epoch = UInt32.random(in: 1 ... .max)
  let sender: ChannelSender
  let launcher: LauncherProcess
  /// What its launcher is a part of.
  private let allocation: Allocation?
  let input = Mutex(Input())
  let state = Mutex(LinkState())
  private let over = Latch()
  private let cleanedUp = Latch()
  private let onEnd: @Sendable (LinkEnding) -> Void

  init(
    _ host: HostDefinition,
    parts: HomeParts,
    timeouts: OutpostTimeouts,
    launcher: LauncherProcess,
    allocation: Allocation? = nil,
    onEnd: @escaping @Sendable (LinkEnding) -> Void
  ) {
    (self.host, self.parts, self.timeouts) = (host, parts, timeouts)
    (self.launcher, self.allocation, self.onEnd) = (launcher, allocation, onEnd)
    sender = ChannelSender(epoch: 0) { launcher.write(from: $0) }
  }

  /// A word that no other launch uses, by which an engine can be asked for this one.
  var instance: String { "orchestrator-\(host.name)-\(String(epoch, radix: 36))" }

  // MARK: Beginning

  /// Starts the launcher.
  ///
  /// - Throws: `OutpostError`.
  func start() async throws {
    do {
      let word = try await allocation?.hold(for: epoch) { self.isOver }
      // It may have been ended while it waited.
      if isOver { throw CancellationError() }
      let words = host.expand(host.launch, instance: instance, allocation: word)
      try await launcher.start(words, environment: parts.environment) {
        [weak self] event in self?.handle(event) ?? .goOn
      }
    } catch {
      let problem =
        error as? OutpostError ?? .notLaunched(host: host.name, problem: "\(error)")
      end(.unusable(problem))
      await allocation?.release(epoch)
      throw ending.map { self.error(of: $0) } ?? problem
    }
    // It may have been ended while its launcher started.
    if isOver { return await launcher.end(atOnce: true) }
    launcher.write(from: sender)
  }

  /// Returns once the outpost can be used.
  ///
  /// - Throws: `OutpostError`.
  func ready() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let ending: LinkEnding? = state.withLock { state in
        switch state.phase {
        case .ended(let ending): return ending
        case .up: continuation.resume()
        case .awaitingPreamble, .awaitingGreeting, .replacing, .beginning:
          state.waiters.append(continuation)
        }
        return nil
      }
      if let ending { continuation.resume(throwing: error(of: ending)) }
    }
  }

  // MARK: Launching

  /// Has a worker launched.
  ///
  /// - Throws: `OutpostError`, `MemoryShortage`, `CancellationError`.
  func launch(
    _ order: LaunchOrder,
    onWait: @escaping MemoryQueue.WaitHandler
  ) async throws -> OutpostWorker {
    let run = order.configuration.run
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ending: LinkEnding? = state.withLock { state in
          if case .ended(let ending) = state.phase { return ending }
          state.workers.begin(run, PendingLaunch(continuation: continuation, onWait: onWait))
          return nil
        }
        if let ending { return continuation.resume(throwing: error(of: ending)) }
        sender.send(ToOutpost.launch(order))
        if Task.isCancelled { abandon(run, CancellationError()) }
        // Unstructured: it ends with the patience for an outpost that does not answer.
        Task { [weak self, timeouts] in
          try? await Task.sleep(for: timeouts.launch, clock: .suspending)
          self?.abandon(run, OutpostLink.noAnswer(self?.host.name ?? "", timeouts.launch))
        }
      }
    } onCancel: {
      abandon(run, CancellationError())
    }
  }

  private static func noAnswer(_ host: String, _ patience: Duration) -> OutpostError {
    .refused(host: host, problem: "it did not answer within \(patience.components.seconds) s.")
  }

  private func abandon(_ run: RunID, _ problem: any Error) {
    guard let launch = state.withLock({ $0.workers.endLaunch(run) }) else { return }
    sender.send(ToOutpost.abandon(run))
    launch.continuation.resume(throwing: problem)
  }

  // MARK: Watching

  /// Counts time in which nothing was heard.
  ///
  /// - Returns: How much that is by now.
  func tick(_ time: Duration) -> Duration {
    state.withLock { state in
      state.messages = 0
      state.silence += time
      return state.silence
    }
  }

  /// The moment from which on no worker of it lives, whatever it does or hears.
  var leaseEnd: ContinuousClock.Instant {
    state.withLock { $0.answered } + timeouts.leaseWithMargin
  }

  /// What is known of the machine, and how many workers live there or are being launched.
  var facts: (machine: OutpostMachine?, vitals: OutpostVitals?, workers: Int) {
    state.withLock { ($0.machine, $0.vitals, $0.workers.count) }
  }

  var isReplacing: Bool { state.withLock { $0.phase == .replacing } }

  var isUp: Bool { state.withLock { $0.phase == .up } }

  var isOver: Bool { state.withLock(\.isOver) }

  /// Why it is over; `nil` while it is not.
  var ending: LinkEnding? {
    state.withLock { if case .ended(let ending) = $0.phase { ending } else { nil } }
  }

  func waitForEnd(_ timeout: Duration) async { _ = await over.wait(timeout) }

  /// Returns once this life is over and nothing of it is left here.
  func waitForCleanUp(_ timeout: Duration) async { _ = await cleanedUp.wait(timeout) }

  // MARK: Ending

  /// Ends this life: of all that waits for it, and of its workers.
  func end(_ ending: LinkEnding) {
    let last = state.withLock { state -> LinkState? in
      guard !state.isOver else { return nil }
      let last = state
      state.phase = .ended(ending)
      (state.workers, state.files) = (LinkWorkers(), [:])
      (state.waiters, state.logs) = ([], StandbyLogs())
      return last
    }
    guard let last else { return }
    sender.close()
    launcher.direct.close()
    let problem = error(of: ending)
    for waiter in last.waiters { waiter.resume(throwing: problem) }
    for launch in last.workers.launches.values { launch.continuation.resume(throwing: problem) }
    for case .awaited(let waiter) in last.files.values { waiter.resume(throwing: problem) }
    for log in last.logs.all { log.close() }
    lose(Array(last.workers.living.values), ending)
    // Unstructured: it ends with its launcher.
    Task { await cleanUp(after: ending) }
    over.open()
    onEnd(ending)
  }

  /// Reports the ends of workers: at once of those whose work may be done again elsewhere, of the
  /// others only when they can no longer live.
  private func lose(_ workers: [OutpostWorker], _ ending: LinkEnding) {
    let death = Death(cause: .lost(host: host.name), lastLines: launcher.log.lastLines(5))
    let acting = ending == .farewell ? [] : workers.filter(\.mayAct)
    for worker in workers where !acting.contains(where: { $0 === worker }) { worker.end(death) }
    guard !acting.isEmpty else { return }
    let end = leaseEnd
    // Unstructured: it ends with the lease.
    Task {
      try? await Task.sleep(until: end, clock: .continuous)
      for worker in acting { worker.end(death) }
    }
  }

  private func cleanUp(after ending: LinkEnding) async {
    defer { cleanedUp.open() }
    // What has not greeted, or is not trusted, has nothing to do first.
    await launcher.end(atOnce: facts.machine == nil || ![.farewell, .closed].contains(ending))
    // What a step leaves ends with its allocation.
    if let allocation { return await allocation.release(epoch) }
    guard ending != .farewell, let cleanup = host.cleanup else { return }
    await LauncherProcess.run(
      host.expand(cleanup, instance: instance),
      parts.environment,
      log: WorkerLog(path: parts.log(RunID("outpost-\(host.name)"))),
      launcher.eventLoop
    )
  }

  /// Turns the end of this life into an error for what waited for it.
  private func error(of ending: LinkEnding) -> OutpostError {
    switch ending {
    case .farewell, .silent: .lost(host: host.name)
    case .closed where state.withLock({ $0.machine }) != nil: .lost(host: host.name)
    case .closed, .notGreeted:
      .notGreeted(host: host.name, lastLines: launcher.log.lastLines(5))
    case .queuedTooLong(let reason, let seconds):
      .queuedTooLong(host: host.name, reason: reason, seconds: seconds)
    case .breach(let problem): .breach(host: host.name, problem: problem)
    case .unusable(let problem): problem
    }
  }
}
