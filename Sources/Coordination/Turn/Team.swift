import Foundation
import Transcripts
import Wire

/// The workers of a conversation: which agent each works for, and what it knows.
///
/// A pure value; `WorkerProcesses` has the processes, by the same runs.
struct Team: Sendable {
  /// The agents with a worker.
  private(set) var slots: [String: AgentSlot] = [:]
  /// The workers that have not ended yet, including those that have lost their slots.
  var runs: [RunID: RunState] = [:]
  /// The windows of the agents that have answered here, in tokens.
  private(set) var windows: [String: Int]
  /// What the workers have used, including their friends that are gone.
  var usage = RequestUsage()
  /// The number of the last question to a worker.
  ///
  /// Here, because the answer to a question of an earlier turn may come in a later one.
  private var lastQuestion = 0
  /// The deaths of workers in turns, by agent.
  private var restarts: [String: Restarts] = [:]
  private let policy: RestartPolicy

  /// How many entries a worker may send for turns that are over.
  private static let maximumStrays = 64

  init(windows: [String: Int], policy: RestartPolicy) {
    (self.windows, self.policy) = (windows, policy)
  }

  /// Numbers a question to a worker.
  mutating func nextQuestion() -> Int {
    lastQuestion += 1
    return lastQuestion
  }

  // MARK: Slots

  /// The agent that a worker has the slot of.
  func agent(of run: RunID) -> String? { slots.first { $0.value.run == run }?.key }

  /// The worker of an agent, if it may get a turn: it runs the agent's current plugin and has
  /// reached no bound.
  func worker(of agent: LaunchableAgent) -> RunID? {
    guard let slot = slots[agent.name], slot.agent == agent, runs[slot.run]?.exhaustion == nil
    else { return nil }
    return slot.run
  }

  /// Adds a worker that was launched for a turn.
  mutating func add(_ worker: LaunchedWorker, turn: Int64, isFriend: Bool) {
    runs[worker.run] = RunState(worker, turn: turn, isFriend: isFriend)
    slots[worker.agent.name] = AgentSlot(agent: worker.agent, run: worker.run)
  }

  /// Removes a worker from its slot; the agent's next turn goes to a new worker.
  @discardableResult
  mutating func vacate(_ run: RunID) -> String? {
    guard let agent = agent(of: run) else { return nil }
    slots[agent] = nil
    return agent
  }

  /// Removes the workers that have reached a bound from their slots.
  mutating func vacateExhausted() -> [RunID] {
    let exhausted = slots.values.map(\.run).filter { runs[$0]?.exhaustion != nil }
    for run in exhausted { vacate(run) }
    return exhausted
  }

  /// Removes all workers from their slots, but for those that are needed.
  mutating func vacateIdle(unless isNeeded: (AgentSlot) -> Bool = { _ in false }) -> [RunID] {
    let idle = slots.values.filter { !isNeeded($0) }.map(\.run)
    for run in idle { vacate(run) }
    return idle
  }

  /// Limits what the workers are taken to know to the first entries of the history.
  mutating func forget(after count: Int) {
    for (name, slot) in slots { slots[name]?.knownEntries = min(slot.knownEntries, count) }
  }

  mutating func setKnown(_ count: Int, by agent: String) { slots[agent]?.knownEntries = count }

  mutating func setKnown(_ properties: [String: String], by agent: String) {
    slots[agent]?.properties.merge(properties) { $1 }
  }

  mutating func setReady(_ readiness: Readiness, _ agent: String) {
    slots[agent]?.isReady = true
    slots[agent]?.model = readiness.model?.name
  }

  /// The largest window of the other agents, in tokens.
  func widestWindow(besides agent: String) -> Int? {
    windows.filter { $0.key != agent }.values.max()
  }

  // MARK: What workers do

  /// Adds what a request of a worker has used.
  mutating func add(_ usage: RequestUsage, of run: RunID, agent: String) {
    runs[run]?.usage += usage
    self.usage += usage
    // The usage of a tool's own sessions says nothing about the agent's context.
    if usage.seconds > 0 { runs[run]?.contextTokens = usage.tokensIn + usage.tokensOut }
    if let window = usage.contextSize { windows[agent] = window }
  }

  /// Adds what a friend has used to the worker that phoned it.
  mutating func addFriendUsage(_ usage: RequestUsage, of run: RunID?) {
    if let run { runs[run]?.friends.addTokens(of: usage) }
    self.usage.addTokens(of: usage)
  }

  /// Records that a worker has reached a bound.
  /// - Returns: Whether that is new.
  mutating func exhaust(_ run: RunID, _ exhaustion: Exhaustion) -> Bool {
    guard runs[run] != nil, runs[run]?.exhaustion == nil else { return false }
    runs[run]?.exhaustion = exhaustion
    return true
  }

  /// Counts an entry of a turn that is over: a few are on their way when a turn is stopped.
  mutating func countStray(of run: RunID, agent: String) throws(ConversationError) {
    guard let strays = runs[run]?.strays else { return }
    guard strays < Self.maximumStrays else { throw .strayEntries(agent: agent) }
    runs[run]?.strays = strays + 1
  }

  // MARK: Deaths

  /// Records a death of an agent's worker.
  /// - Returns: How long to wait before another takes over; `nil` after too many deaths.
  mutating func recordDeath(of agent: String, at now: ContinuousClock.Instant) -> Duration? {
    restarts[agent, default: Restarts(policy)].recordDeath(at: now)
  }

  /// How many deaths of an agent's workers count.
  func deaths(of agent: String) -> Int { restarts[agent]?.count ?? 0 }

  /// Whether no further death of an agent's workers is allowed.
  func hasSpentRestarts(_ agent: String, at now: ContinuousClock.Instant) -> Bool {
    restarts[agent]?.isSpent(at: now) ?? false
  }
}

/// An agent's place in a conversation: its worker, and what that worker knows.
struct AgentSlot: Sendable {
  let agent: LaunchableAgent
  let run: RunID
  /// How many leading entries of the history the worker has.
  ///
  /// Counted, because comparing a long history would cost more than the rest of a turn.
  var knownEntries = 0
  /// The session properties that the worker has, as JSON by name.
  var properties: [String: String] = [:]
  var isReady = false
  var model: String?

  init(agent: LaunchableAgent, run: RunID) {
    (self.agent, self.run) = (agent, run)
  }
}

/// A worker that was launched for a turn.
struct LaunchedWorker: Sendable {
  let agent: LaunchableAgent
  /// A spare has a run of its own.
  let run: RunID
  let pid: Int32
  let launched: Date

  /// What the caller of a friend is shown.
  var friendPhoned: TurnEvent {
    .friendPhoned(agent: agent.name, pid: pid, run: run.description)
  }
}

/// A worker from its launch to its end.
struct RunState: Sendable {
  let worker: LaunchedWorker
  /// The turn for which the worker was launched.
  let turn: Int64
  /// Whether it answers as a friend.
  let isFriend: Bool
  var usage = RequestUsage()
  /// What friends phoned by the worker had used when they were gone.
  var friends = RequestUsage()
  /// The tokens of its last request and answer together.
  var contextTokens: Int?
  /// The bound that it has reached; it then gets no further turn.
  var exhaustion: Exhaustion?
  /// How many entries of finished turns it has sent since it was given one.
  var strays = 0

  init(_ worker: LaunchedWorker, turn: Int64, isFriend: Bool) {
    (self.worker, self.turn, self.isFriend) = (worker, turn, isFriend)
  }

  /// What the caller of a friend is shown of its end.
  var friendGone: TurnEvent? {
    guard isFriend else { return nil }
    return .friendGone(
      agent: worker.agent.name,
      pid: worker.pid,
      run: worker.run.description,
      tokens: usage.tokensIn + usage.tokensOut,
      seconds: Date().timeIntervalSince(worker.launched)
    )
  }
}
