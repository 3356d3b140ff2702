import Synchronization
import Wire

/// The coordinator's end of one worker's pipes.
final class WorkerLine: Sendable {
  struct State {
    var life = WorkerLife()
    var vigil = Vigil()
    /// Bytes of a message that is not whole yet.
    var begun = 0
    var pid: Int32?
    /// What may kill the worker when there is no memory; `nil` until it is known where that shows.
    var reach: MemoryKills.Reach?
    var peakMemory: Int?
    /// Whether it is being killed by this coordinator.
    var isKilled = false
    var hasRehearsed = false
    /// What it has said about cores since the last heartbeat.
    var aboutCores = 0
  }

  /// Far more than whoever computes can say between two heartbeats; it takes no place among what is unread,
  /// whose bounds do not end it.
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
  let kills: MemoryKills?
  private let onGreeting: @Sendable (Greeting) -> Void
  private let onReady: @Sendable () -> Void
  private let onEnd: @Sendable () -> Void

  init(
    log: WorkerLog,
    isFork: Bool = false,
    loadGrowth: Duration = .zero,
    cores: CoreLine? = nil,
    kills: MemoryKills? = nil,
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

  /// Takes what the pump reports.
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
    case .peakMemory(let bytes):
      state.withLock { $0.peakMemory = bytes }
      return .goOn
    case .exited(let status):
      // Others may look at this worker for a while, and its descriptors are wanted.
      log.close()
      cores?.end()
      onEnd()
      unread.end(death(by: status))
      gone.open()
      return .goOn
    }
  }

  /// - Parameter count: The bytes of all the messages, which the first is charged with.
  private func deliver(_ reading: WorkerLife.Reading, bytes count: Int) -> ChildReaction {
    var count = count
    for message in reading.messages {
      if cores?.take(message) == true {
        guard countAboutCores() else { return .kill }
        continue
      }
      switch message {
      case .greeting(let greeting): onGreeting(greeting)
      case .ready:
        noteReach()
        onReady()
      case .rehearsed:
        // For whoever started it, and not for whom it will work.
        state.withLock { $0.hasRehearsed = true }
        continue
      case .pong:
        // That it came says all: behind others it needs no place. Nobody reads what a spare says before it
        // is somebody's, and it is asked for hours.
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

  /// Counts a message about cores; returns whether the worker may go on.
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

  /// Decides what to do about the worker; called once a heartbeat.
  /// - Parameter isHeard: Whether what the worker has said since the last heartbeat was read.
  func judge(_ patience: Roster.Patience, isHeard: Bool = true) -> Vigil.Verdict {
    // One that waits for a core or computes its prompt can answer before it is ready, and nobody can blame
    // it for how long that takes.
    let standing = cores?.standing ?? .none
    return state.withLock { state in
      state.aboutCores = 0
      var patience = patience
      patience.load += loadGrowth
      // The program of a fork runs already: it has nothing to do before it greets.
      if isFork, !state.life.hasGreeted { patience.load = patience.fork }
      // It hears between two parts of what it computes, and each may be long.
      if standing == .computing, state.life.isLoading { patience.silence = patience.load }
      return state.vigil.judge(
        isLoading: state.life.isLoading && standing == .none,
        isHeard: isHeard,
        patience: patience
      )
    }
  }

  /// Whether it has rehearsed what it was started for ahead of its need.
  var hasRehearsed: Bool { state.withLock { $0.hasRehearsed } }

  var hasEnded: Bool { state.withLock { $0.life.state == .ended } }

  /// Waits for the end, for so long at most; returns whether it came.
  func waitForEnd(_ patience: Duration) async -> Bool { await gone.wait(patience) }
}
