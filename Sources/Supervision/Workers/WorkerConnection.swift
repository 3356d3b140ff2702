import Synchronization
import Wire

/// The coordinator's end of one worker's pipes.
final class WorkerLine: Sendable {
  struct State {
    var life = WorkerLife()
    var vigil = Vigil()
    /// The bytes of a message that is not yet complete.
    var begun = 0
    /// Whether this coordinator is killing it.
    var isKilled = false
    var hasRehearsed = false
    /// The number of messages about cores since the last heartbeat.
    var aboutCores = 0
  }

  /// Far more messages than a computing worker can send between two heartbeats.
  ///
  /// They never count as unread, so the bounds on unread messages do not stop a flood of them.
  private static let maximumAboutCores = 16_384

  var events: AsyncStream<WorkerEvent> { unread.events }
  let state = Mutex(State())
  private let unread = UnreadEvents()
  let log: WorkerLog
  private let gone = Gate()
  private let isFork: Bool
  /// How much longer than others it may take to load.
  private let loadGrowth: Duration
  private let cores: CoreLine?
  let kills: OutOfMemoryKills?
  private let onGreeting: @Sendable (Greeting) -> Void
  private let onReady: @Sendable () -> Void
  private let onEnd: @Sendable () -> Void

  init(
    log: WorkerLog,
    isFork: Bool = false,
    loadGrowth: Duration = .zero,
    cores: CoreLine? = nil,
    kills: OutOfMemoryKills? = nil,
    onGreeting: @escaping @Sendable (Greeting) -> Void = { _ in },
    onReady: @escaping @Sendable () -> Void = {},
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.log = log
    self.isFork = isFork
    self.loadGrowth = loadGrowth
    self.cores = cores
    self.kills = kills
    self.onGreeting = onGreeting
    self.onReady = onReady
    self.onEnd = onEnd
  }

  /// Handles an event from the pump.
  func take(_ event: ChildEvent) -> ChildReaction {
    switch event {
    case .error(let bytes):
      log.append(bytes)
      return .goOn
    case .output(let bytes):
      let (reading, count) = state.withLock { state in
        state.vigil.hear()
        let reading = state.life.read(bytes)
        let count = state.begun + bytes.count
        state.begun = reading.messages.isEmpty ? count : 0
        return (reading, count)
      }
      if !reading.banner.isEmpty { log.append(reading.banner) }
      return deliver(reading, bytes: count)
    case .outputClosed:
      state.withLock { $0.vigil.hearNoMore() }
      return .goOn
    case .exited(let status):
      // Others may hold this worker for a while, so its descriptors are released now.
      let death = death(by: status)
      if death.kind != nil { log.append(Array("coordinator: \(death)\n".utf8)) }
      log.close()
      cores?.end()
      onEnd()
      unread.end(death)
      gone.open()
      return .goOn
    }
  }

  /// - Parameter count: The bytes of all the messages, charged to the first.
  private func deliver(_ reading: WorkerLife.Reading, bytes count: Int) -> ChildReaction {
    var count = count
    for message in reading.messages {
      if cores?.take(message) == true {
        guard countAboutCores() else { return .kill }
        continue
      }
      switch message {
      case .greeting(let greeting): onGreeting(greeting)
      case .ready: onReady()
      case .rehearsed:
        // For the roster that started it, not for the conversation it will serve.
        state.withLock { $0.hasRehearsed = true }
        continue
      case .pong:
        // Its arrival says it all, so it is dropped when others are waiting. Nobody reads a spare's
        // messages before it is taken, and it is pinged for hours.
        if state.withLock({ $0.vigil.takeAnswer() }), unread.isWaiting { continue }
      default: break
      }
      let excess = unread.add(message, bytes: count)
      count = 0
      guard let excess else { continue }
      _ = condemn(.breach(excess))
      return .kill
    }
    return reading.breach == nil ? .goOn : .kill
  }

  /// Counts a message about cores.
  ///
  /// - Returns: Whether the worker may go on.
  private func countAboutCores() -> Bool {
    let count = state.withLock { state in
      state.aboutCores += 1
      return state.aboutCores
    }
    guard count > Self.maximumAboutCores else { return true }
    _ = condemn(.breach("\(count) messages about cores, faster than anyone could compute"))
    return false
  }

  func condemn(_ cause: Death.Cause) -> Bool { state.withLock { $0.life.condemn(cause) } }

  /// Decides what to do about the worker; called once per heartbeat.
  ///
  /// - Parameter isHeard: Whether what the worker sent since the last heartbeat was read.
  func judge(_ patience: Roster.Patience, isHeard: Bool = true) -> Vigil.Verdict {
    // A worker that waits for a core or computes its prompt can answer before it is ready, and is
    // not to blame for how long that takes.
    let standing = cores?.standing ?? .none
    return state.withLock { state in
      state.aboutCores = 0
      var patience = patience
      patience.load += loadGrowth
      // A fork's program already runs, so it has nothing to do before it greets.
      if isFork, !state.life.hasGreeted { patience.load = patience.fork }
      // It listens only between two parts of its computation, each of which may be long.
      if standing == .computing, state.life.isLoading { patience.silence = patience.load }
      return state.vigil.judge(
        isLoading: state.life.isLoading && standing == .none,
        isHeard: isHeard,
        patience: patience
      )
    }
  }

  /// Whether it has rehearsed what it was started for ahead of need.
  var hasRehearsed: Bool { state.withLock { $0.hasRehearsed } }

  var hasEnded: Bool { state.withLock { $0.life.state == .ended } }

  /// Waits for the worker's end, for at most the given time.
  ///
  /// - Returns: Whether it came.
  func waitForEnd(_ patience: Duration) async -> Bool { await gone.wait(patience) }
}
