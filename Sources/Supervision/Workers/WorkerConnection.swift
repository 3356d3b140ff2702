import Synchronization
package import Wire

/// The coordinator's end of a worker's pipes: decodes what the worker sends and decides whether it
/// may go on.
///
/// Of a worker on another machine, the pipes are there, and what was read from them comes here.
package final class WorkerConnection: Sendable {
  struct State {
    var machine = WorkerStateMachine()
    var liveness = LivenessMonitor()
    /// The bytes received of a message that is not yet complete.
    var partialBytes = 0
    /// Whether this coordinator has killed it.
    var isKilled = false
    var hasRehearsed = false
    /// How far it has come with work that takes long.
    var progress: WorkProgress?
    /// The number of messages since the last heartbeat that are handled as they come.
    var freeMessages = 0
  }

  /// Far more messages than a computing worker can send between two heartbeats.
  ///
  /// They never count as unread, so the bounds on unread messages do not stop a flood of them.
  private static let maximumFreeMessages = 16_384

  package var events: AsyncStream<WorkerEvent> { buffer.events }
  let state = Mutex(State())
  private let buffer = EventBuffer()
  let log: WorkerLog
  let prompts = PromptRequests()
  private let ended = Latch()
  private let isFork: Bool
  /// How much longer than others it may take to load.
  private let loadGrowth: Duration
  private let cores: CoreClient?
  let kills: OutOfMemoryKills?
  /// Receives process ids: of the worker itself, for which the run is `nil`, and of its forks.
  private let onIdentified: @Sendable (RunID?, Int32) -> Void
  private let onReady: @Sendable () -> Void
  private let onEnd: @Sendable () -> Void
  /// Sees every message before it waits to be read.
  private let onMessage: @Sendable (FromWorker) -> Void

  init(
    log: WorkerLog,
    isFork: Bool = false,
    loadGrowth: Duration = .zero,
    cores: CoreClient? = nil,
    kills: OutOfMemoryKills? = nil,
    onIdentified: @escaping @Sendable (RunID?, Int32) -> Void = { _, _ in },
    onReady: @escaping @Sendable () -> Void = {},
    onEnd: @escaping @Sendable () -> Void = {},
    onMessage: @escaping @Sendable (FromWorker) -> Void = { _ in }
  ) {
    self.log = log
    self.isFork = isFork
    self.loadGrowth = loadGrowth
    self.cores = cores
    self.kills = kills
    self.onIdentified = onIdentified
    self.onReady = onReady
    self.onEnd = onEnd
    self.onMessage = onMessage
  }

  /// Creates the connection of a worker on another machine, which is watched there.
  ///
  /// - Parameter onMessage: Sees every message before it waits to be read.
  package convenience init(
    distant log: WorkerLog,
    onMessage: @escaping @Sendable (FromWorker) -> Void
  ) {
    self.init(log: log, onMessage: onMessage)
    // What a launcher printed is not among what comes from there.
    _ = handle(.output(WireLimits.preamble))
  }

  package func handle(_ event: ChildEvent) -> ChildReaction {
    switch event {
    case .error(let bytes):
      log.append(bytes)
      return .goOn
    case .output(let bytes):
      let (reading, count) = state.withLock { state in
        state.liveness.recordActivity()
        let reading = state.machine.read(bytes)
        let count = state.partialBytes + bytes.count
        state.partialBytes = reading.messages.isEmpty ? count : 0
        return (reading, count)
      }
      if !reading.banner.isEmpty { log.append(reading.banner) }
      return deliver(reading, bytes: count)
    case .outputClosed:
      state.withLock { $0.liveness.recordEOF() }
      return .goOn
    case .exited(let status):
      cores?.end()
      onEnd()
      end(death(by: status))
      return .goOn
    }
  }

  private func end(_ death: Death) {
    if death.kind != nil { log.append(Array("coordinator: \(death)\n".utf8)) }
    // This object may be retained for a while; its file is closed now.
    log.close()
    buffer.end(death)
    ended.open()
    prompts.close()
  }

  /// Handles the end of a worker on another machine, as it was seen there.
  ///
  /// What it was killed for from here stands.
  package func handleEnd(_ death: Death) {
    let cause = state.withLock { state -> Death.Cause? in
      guard state.machine.state != .ended else { return nil }
      guard case .terminating(let own) = state.machine.state else {
        _ = state.machine.end(.code(0))
        return death.cause
      }
      _ = state.machine.end(.code(0))
      return own
    }
    guard let cause else { return }
    end(Death(cause: cause, lastLines: death.lastLines))
  }

  /// - Parameter count: The bytes of all the messages, charged to the first.
  private func deliver(_ reading: WorkerStateMachine.Reading, bytes count: Int) -> ChildReaction {
    var count = count
    for message in reading.messages {
      onMessage(message)
      if cores?.handle(message) == true {
        guard countFreeMessage() else { return .kill }
        continue
      }
      switch message {
      case .greeting(let greeting): onIdentified(nil, greeting.pid)
      case .forked(let fork, let pid): onIdentified(fork, pid)
      case .ready:
        state.withLock { $0.progress = nil }
        onReady()
      case .progress(let progress):
        // For those who look, who may come at any time or never.
        state.withLock { $0.progress = progress }
        guard countFreeMessage() else { return .kill }
        continue
      case .prompt(let id, let prompt):
        prompts.receive(prompt, to: id)
        guard countFreeMessage() else { return .kill }
        continue
      case .rehearsed:
        // For the roster that started it, not for the conversation it will serve.
        state.withLock { $0.hasRehearsed = true }
        continue
      case .pong:
        // Dropped when others are waiting: the messages of a spare are not read before it is
        // claimed, and it is pinged for hours.
        if state.withLock({ $0.liveness.recordPong() }), buffer.isWaiting { continue }
      default: break
      }
      let overflow = buffer.append(message, bytes: count)
      count = 0
      guard let overflow else { continue }
      _ = terminate(reason: .breach(overflow))
      return .kill
    }
    return reading.breach == nil ? .goOn : .kill
  }

  /// Counts a message about cores or for those who look.
  ///
  /// - Returns: Whether the worker may go on.
  private func countFreeMessage() -> Bool {
    let count = state.withLock { state in
      state.freeMessages += 1
      return state.freeMessages
    }
    guard count > Self.maximumFreeMessages else { return true }
    let words = "\(count) messages about cores and progress, faster than it could compute"
    _ = terminate(reason: .breach(words))
    return false
  }

  /// - Returns: Whether this is the first reason, so that the process must be killed.
  package func terminate(reason: Death.Cause) -> Bool {
    state.withLock { $0.machine.terminate(reason: reason) }
  }

  /// Decides what to do about the worker; called once per heartbeat.
  ///
  /// - Parameter isRead: Whether what the worker sent since the last heartbeat was read.
  func evaluate(_ timeouts: Roster.Timeouts, isRead: Bool = true) -> LivenessMonitor.Decision {
    // A worker that waits for a core or computes its prompt can answer before it is ready, however
    // long that takes.
    let phase = cores?.phase ?? .idle
    return state.withLock { state in
      state.freeMessages = 0
      var timeouts = timeouts
      timeouts.load += loadGrowth
      // A fork's program already runs, so it has nothing to do before it greets.
      if isFork, !state.machine.hasGreeted { timeouts.load = timeouts.fork }
      // It listens only between two parts of its computation, each of which may be long.
      if phase == .computing, state.machine.isLoading { timeouts.silence = timeouts.load }
      return state.liveness.evaluate(
        isLoading: state.machine.isLoading && phase == .idle,
        isRead: isRead,
        timeouts: timeouts
      )
    }
  }

  /// Whether it has rehearsed what it was started for ahead of need.
  var hasRehearsed: Bool { state.withLock { $0.hasRehearsed } }

  /// How far it has come with work that takes long; `nil` when there is none.
  package var progress: WorkProgress? {
    state.withLock { $0.machine.state == .ended ? nil : $0.progress }
  }

  package var hasEnded: Bool { state.withLock { $0.machine.state == .ended } }

  /// Waits for the worker's end, for at most the given time.
  ///
  /// - Returns: Whether it came.
  package func waitForEnd(_ timeout: Duration) async -> Bool { await ended.wait(timeout) }
}
