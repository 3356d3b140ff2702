import PlatformLibraries
package import Supervision
import Synchronization
package import Wire

/// A host from here: starts its outpost when a worker is wanted there, and carries its workers' pipes.
package actor Outpost {
  /// Called whenever the state of the host changes.
  package typealias StateHandler = @Sendable (HostStatus) -> Void

  /// What is under way.
  private struct Activity {
    var starting: Task<OutpostLink, any Error>?
    /// How many launches wait for that.
    var waiting = 0
    /// How many spares files are being sent for.
    var spares = 0
    /// Whether the outpost was told to end.
    var isGivenBack = false
    var isClosed = false
  }

  package nonisolated let host: HostDefinition
  let parts: HomeParts
  let timeouts: OutpostTimeouts
  private let eventLoop: ChildEventLoop
  private let queue: (any QueueWatch)?
  private let onChange: StateHandler
  private let allocation: Allocation?
  private var state = HostState.off
  private var since = Date()
  private(set) var link: OutpostLink?
  private var activity = Activity()
  var staging = Staging()

  /// - Parameters:
  ///   - allocation: That of its group; `nil` for its own, where it is to have one.
  ///   - queue: Asks the engine that gives out the machine; `nil` for Slurm where the launcher is its.
  package init(
    _ host: HostDefinition,
    parts: HomeParts,
    timeouts: OutpostTimeouts = .standard,
    eventLoop: ChildEventLoop,
    allocation: Allocation? = nil,
    queue: (any QueueWatch)? = nil,
    onChange: @escaping StateHandler = { _ in }
  ) {
    (self.host, self.parts, self.timeouts, self.eventLoop) = (host, parts, timeouts, eventLoop)
    let allocation = allocation ?? Allocation(of: host, parts: parts, eventLoop: eventLoop)
    self.allocation = allocation
    self.queue =
      queue ?? allocation
      ?? SlurmQueue(launch: host.launch, environment: parts.environment, eventLoop: eventLoop)
    self.onChange = onChange
  }

  package var status: HostStatus {
    let facts = link?.facts
    return HostStatus(
      name: host.name,
      state: state,
      since: since,
      machine: facts?.machine,
      vitals: facts?.vitals,
      workers: facts?.workers ?? 0,
      connectBack: link?.launcher.direct.outcome
    )
  }

  private func change(to state: HostState) {
    guard state != self.state else { return }
    (self.state, since) = (state, Date())
    onChange(status)
  }

  // MARK: Launching

  /// Places a worker there, from a warm template where there is one; starts the outpost when it is
  /// off.
  ///
  /// If a spare becomes the worker, its run differs from the configuration's. All paths of the
  /// configuration are of this machine, but for those of permissions.
  ///
  /// - Throws: `OutpostError`, `MemoryShortage`, `CancellationError`.
  package func launch(
    _ configuration: WorkerConfiguration,
    onWait: @escaping MemoryQueue.WaitHandler = { _ in }
  ) async throws -> OutpostWorker {
    let link = try await usable()
    let (run, most) = (configuration.run, host.limits.workers)
    guard link.state.withLock({ $0.workers.reserve(run, atMost: most) }) else {
      throw OutpostError.full(host: host.name, workers: most ?? 0)
    }
    defer { link.state.withLock { $0.workers.release(run) } }
    return try await link.launch(try await order(configuration, link), onWait: onWait)
  }

  /// Keeps a spare there, because a worker of its kind is likely to be wanted soon; only where an
  /// outpost is up.
  package func expect(_ configuration: WorkerConfiguration) async {
    guard state == .up, let link, link.isUp else { return }
    activity.spares += 1
    defer { activity.spares -= 1 }
    guard let order = try? await order(configuration, link) else { return }
    link.sender.send(ToOutpost.expect(order))
  }

  // MARK: Beginning

  /// Starts the outpost if it is off, and returns once it can be used.
  ///
  /// - Throws: `OutpostError`, `CancellationError`.
  package func start() async throws { _ = try await usable() }

  private func usable() async throws -> OutpostLink {
    if activity.isClosed { throw OutpostError.unavailable(host: host.name, .off) }
    if activity.isGivenBack {
      if let link, !link.isOver {
        await link.waitForEnd(.seconds(5))
        link.end(.farewell)
      }
      _ = await activity.starting?.result
      if activity.isClosed { throw OutpostError.unavailable(host: host.name, .off) }
    }
    if state == .draining { throw OutpostError.unavailable(host: host.name, state) }
    if let link, !link.isOver, activity.starting == nil {
      guard state == .up else { throw OutpostError.unavailable(host: host.name, state) }
      return link
    }
    // Unstructured, so that all launches wait for the same outpost, and one that is given up ends
    // none of the others.
    let task = activity.starting ?? Task { try await begin() }
    activity.starting = task
    activity.waiting += 1
    defer { stopWaiting() }
    return try await task.valueUnlessCancelled()
  }

  /// Takes a request back from an engine once no launch waits for its machine any more.
  private func stopWaiting() {
    activity.waiting -= 1
    guard activity.waiting == 0, queue != nil, let starting = activity.starting else { return }
    if let link, !link.isOver, link.facts.machine != nil { return }
    starting.cancel()
    activity.isGivenBack = true
    link?.end(.closed)
  }

  private func begin() async throws -> OutpostLink {
    defer { activity.starting = nil }
    // First, because an outpost that has greeted waits for little longer than its lease.
    if host.copiesWorker == true {
      _ = try? await parts.hashes.file(parts.executable, as: .worker)
    }
    try Task.checkCancellation()
    let log = WorkerLog(path: parts.log(RunID("outpost-\(host.name)")))
    let link = OutpostLink(
      host,
      parts: parts,
      timeouts: timeouts,
      launcher: LauncherProcess(log: log, eventLoop: eventLoop),
      allocation: allocation
    ) { [weak self] ending in
      // Unstructured: it comes from the thread of the event loop.
      Task { await self?.ended(ending) }
    }
    (self.link, activity.isGivenBack, staging) = (link, false, Staging())
    change(to: .starting)
    // Unstructured: it ends with the link.
    Task { await watch(link) }
    do {
      try await link.start()
      try await link.ready()
    } catch {
      // Before what waits for it goes on.
      if let ending = link.ending { ended(ending) }
      throw error
    }
    // It may have been closed meanwhile.
    if state != .draining, !link.isOver { change(to: .up) }
    return link
  }

  private func ended(_ ending: LinkEnding) {
    guard let link, link.isOver, activity.starting == nil || state != .up else { return }
    switch ending {
    case .farewell, .notGreeted, .queuedTooLong, .unusable: change(to: .off)
    case .closed where link.facts.machine == nil: change(to: .off)
    case .closed, .silent, .breach:
      change(to: .lost)
      // Unstructured: it ends with the lease.
      Task {
        try? await Task.sleep(until: link.leaseEnd, clock: .continuous)
        if self.link === link { change(to: .off) }
      }
    }
  }

  // MARK: Watching

  /// Watches an outpost from its launch to its end.
  private func watch(_ link: OutpostLink) async {
    var clock = LinkClock(timeouts, host.limits)
    while !link.isOver {
      try? await Task.sleep(for: clock.interval, clock: .suspending)
      let elapsed = clock.elapsed()
      // Looked at only once all that had come was read: a delay here is none of the outpost's.
      let silence = await withCheckedContinuation { continuation in
        eventLoop.afterNextRead { continuation.resume(returning: link.tick(elapsed)) }
      }
      guard self.link === link, !link.isOver else { return }
      if link.isUp {
        look(link, silence, &clock)
      } else {
        await lookAtStart(link, silence, &clock)
      }
    }
  }

  private func lookAtStart(
    _ link: OutpostLink,
    _ silence: Duration,
    _ clock: inout LinkClock
  ) async {
    // It is idle only once it is up.
    _ = clock.isIdleTooLong(1)
    // However long the program is under way, its pieces are answered.
    if link.isReplacing {
      clock.restart()
      if silence >= timeouts.lost { link.end(.silent) }
      return
    }
    if link.facts.machine == nil, clock.shouldAskQueue() {
      switch await queue?.place(of: link.instance) {
      case .waiting(let reason)?: clock.queueReason = reason
      case .impossible(let reason)?: return link.end(.queuedTooLong(reason: reason, seconds: 0))
      case .running?: clock.queueReason = nil
      // An engine that cannot say has not given out a machine.
      case nil: break
      }
    }
    guard !link.isOver, !link.isUp, state != .draining else { return }
    change(to: clock.queueReason.map { .queued(reason: $0) } ?? .starting)
    if let ending = clock.startEnding { link.end(ending) }
  }

  private func look(_ link: OutpostLink, _ silence: Duration, _ clock: inout LinkClock) {
    if silence >= timeouts.lost { return link.end(.silent) }
    let count = link.facts.workers + activity.spares
    if state == .draining || clock.isIdleTooLong(count) {
      if count == 0, !activity.isGivenBack {
        activity.isGivenBack = true
        link.sender.send(ToOutpost.shutdown)
      }
    } else if activity.starting == nil {
      change(to: silence >= timeouts.suspect ? .suspect : .up)
    }
  }

  // MARK: Ending

  /// Lets the workers there end their work, and then gives the machine back.
  package func drain() {
    guard let link, !link.isOver else { return }
    change(to: .draining)
    // One that has not begun has no workers.
    if !link.isUp { link.end(.farewell) }
  }

  /// Takes a host that was drained or lost into use again.
  package func resume() {
    if state == .draining { change(to: link?.isOver == false ? .up : .off) }
  }

  /// Ends all workers there and the outpost.
  package func close() async {
    activity.isClosed = true
    activity.starting?.cancel()
    guard let link else { return }
    if !link.isOver {
      change(to: .draining)
      if link.isUp {
        link.sender.send(ToOutpost.shutdown)
        await link.waitForEnd(.seconds(3))
      }
      link.end(.closed)
    }
    // What an engine still grants, or a lost launch has left, outlives this process.
    await link.waitForCleanUp(timeouts.cleanUp)
    _ = await activity.starting?.result
    change(to: .off)
  }
}
