import Foundation
import Journal
package import Transcripts
import Wire

/// One conversation: its transcript, the holder of its baton and its workers.
///
/// A mailbox and an executor: what arrives is handled one at a time by the turn, a pure value, and
/// what the turn decides is done here. While facts are being written, nothing else is handled.
package actor Conversation {
  let record: ConversationRecord
  let services: Services
  /// The name of the conversation as shown to people.
  nonisolated let title: String
  /// What the conversation has come to, up to the last turn.
  var past: ConversationPast
  /// The workers, while no turn has them.
  private var idleTeam: Team
  var turn: ActiveTurn?
  let processes = WorkerProcesses()
  let friends = Friends()
  private var mailbox = Mailbox()
  let queue = TurnQueue()
  var recovery: TurnRecovery
  var status = Status()

  /// What all conversations share.
  struct Services: Sendable {
    let journal: Journal
    let workers: any Workers
    let catalog: any AgentCatalog
    let approvals: ApprovalBroker
    let servers: any MCPServers
    /// The cores on which workers wait to compute; `nil` when cores are not shared.
    let cores: (any CoreSchedule)?
    /// How long a worker may take to stop before it is killed.
    let stopPatience: Duration
    /// How long a worker may take to say whether it can take the baton before it is killed.
    let fitPatience: Duration
    /// How often a worker that dies in the middle of a turn is replaced.
    let restarts: RestartPolicy
    /// How long a worker on another machine may outlive its coordinator.
    let hostLease: Duration
    let tracing: Tracing
  }

  struct Status {
    let opened = ContinuousClock.now
    /// When the last turn ended.
    var lastAnswer: ContinuousClock.Instant?
    /// Shows what happens to those who watch the last turn.
    var watch: @Sendable (TurnEvent) -> Void = { _ in }
    /// How long its workers have waited for hosts.
    var heldTime = Duration.zero
    var isCancelRequested = false
    var isClosed = false
    /// Whether it was closed because it is deleted.
    var isDeleted = false
  }

  init(
    _ record: ConversationRecord,
    title: String,
    past: ConversationPast = ConversationPast(),
    windows: [String: Int] = [:],
    recovery: TurnRecovery = TurnRecovery(),
    services: Services
  ) {
    self.record = record
    self.title = title
    self.past = past
    self.past.holder = record.holder
    self.recovery = recovery
    self.services = services
    idleTeam = Team(windows: windows, policy: services.restarts)
  }

  nonisolated var isFriend: Bool { record.parent != nil }

  /// The workers; those of a turn while one goes on.
  var team: Team { turn?.turn.team ?? idleTeam }

  // MARK: Prompts

  /// Answers a prompt, after earlier prompts and after a turn that an earlier coordinator left.
  /// - Parameters:
  ///   - agent: Who is to begin a new conversation; one that exists goes on with its holder.
  ///   - images: The images of the prompt.
  ///   - options: What the sender asks of the turn.
  ///   - request: The identity of the sender's request, by which the turn can be found.
  ///   - isAttended: Whether a person is present who can be asked before calls are made.
  /// - Returns: What the turn came to; `nil` if it waits for its client.
  /// - Throws: `ConversationError`, `ClientToolFault`, `CancellationError` or the journal's error
  ///   when the prompt is not accepted. After that, the summary reports everything that happens.
  package func respond(
    to prompt: String,
    begunBy agent: String? = nil,
    images: [PromptImage] = [],
    caps: Caps,
    options: TurnOptions? = nil,
    request: String? = nil,
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary? {
    let place = try await enterQueue(isAttended: isAttended, watch: watch)
    defer {
      place?.leave()
      queue.leave()
    }
    try await check(options?.clientTools)
    // One that waits for its client is not taken up: the prompt ends it.
    if !waitsForClient {
      try await finishInterruptedTurn(from: place, isAttended: isAttended, watch: watch)
    }
    guard !status.isClosed else { throw closure }
    try Task.checkCancellation()
    // Before that turn ends, because a prompt that is refused leaves it as it is.
    let entry = try RawEntry(
      prompt: prompt,
      images: images,
      options: options,
      after: openState?.history ?? past.history
    )
    try await endWaitingTurn(watch)
    status.isCancelRequested = false
    try await writeEnd()
    let substitution = try await self.substitution()
    let begun = try await services.journal.beginTurn(
      in: record.id,
      prompt: entry,
      caps: caps.journaled,
      options: options,
      request: request,
      substitution: substitution
    )
    let beginner = substitution?.to ?? past.holder
    let correction = agent.flatMap { agent in
      agent == past.holder
        ? nil : TurnEvent.correction(of: title, goingOnWith: beginner, beginner: agent)
    }
    let state = past.turn(begun.turn.id, budget: Budget(caps)).applying(begun.facts)
    watch(.accepted(turn: state.id, conversation: title))
    if let correction { watch(.trouble(correction)) }
    for event in substitution?.eventsOfSubstitution ?? [] { watch(event) }
    return await runTurn(
      state,
      deadline: SuspendingClock.now + .seconds(caps.seconds),
      isAttended: isAttended,
      watch: watch
    ).result?.summary
  }

  /// Runs a turn that the journal has begun.
  /// - Parameters:
  ///   - isResumed: Whether an earlier coordinator began it.
  ///   - callerTrace: The span of the turn in which a friend is asked.
  ///   - countHolds: Counts workers that wait for a host for the caller of a friend.
  func runTurn(
    _ state: TurnState,
    deadline: SuspendingClock.Instant,
    isAttended: Bool,
    isResumed: Bool = false,
    callerTrace: String? = nil,
    countHolds: ActiveTurn.CountHolds? = nil,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> TurnPart {
    status.watch = watch
    let id = state.id
    let settings = Turn.Settings(
      isFriend: isFriend,
      isResumed: isResumed,
      session: title,
      traceparent: isFriend
        ? callerTrace : TracedTurn(state, session: title).flatMap(services.tracing.turn),
      stopPatience: services.stopPatience,
      fitPatience: services.fitPatience,
      approvalPatience: .seconds(state.budget.approvalSeconds)
    )
    return await part(of: id, until: deadline) { finish in
      turn = ActiveTurn(
        Turn(
          state,
          idleTeam,
          isAttended: isAttended,
          settings: settings,
          clock: TurnClock(deadline: deadline)
        ),
        ServerRequests { await self.post($0, to: id) },
        deadline: deadline,
        countHolds: { [weak self] change in
          await self?.changeHolds(of: id, by: change)
          await countHolds?(change)
        },
        finish: finish
      )
    } then: {
      await self.begin(turn: id)
    }
  }

  private func begin(turn id: Int64) async {
    // The journal was awaited: the turn may have been stopped before it began.
    if status.isClosed || status.isCancelRequested {
      // What was cancelled is not left to the next coordinator.
      await post(.stop(.cancelled, leavesOpen: !status.isCancelRequested), to: id)
    } else {
      await post(.begin, to: id)
    }
  }

  /// Stops the turn that is under way.
  package func cancel() async {
    status.isCancelRequested = true
    if let turn { return await post(.stop(.cancelled), to: turn.id) }
    recovery.wait?.cancel()
    await cancelWaitingTurn()
  }

  // MARK: The mailbox

  /// Handles an input once those before it are handled.
  /// - Parameter id: The turn that the input is for; `nil` for whichever goes on.
  func post(_ input: Input, to id: Int64? = nil) async {
    await enterMailbox()
    defer { mailbox.leave() }
    if let active = turn, id == nil || id == active.id { return await handle(input) }
    // Its turn is over.
    await perform(turn?.turn.team.handleIdle(input) ?? idleTeam.handleIdle(input))
  }

  /// Has the turn handle an input, and does what it decides.
  func handle(_ input: Input) async {
    guard let deadline = turn?.deadline else { return }
    await perform(turn?.turn.handle(input, at: TurnClock(deadline: deadline)) ?? [])
  }

  private func enterMailbox() async {
    guard !mailbox.enter() else { return }
    await withCheckedContinuation { mailbox.wait($0) }
  }

  /// Takes the workers back from a turn that is over.
  func takeBackTeam() {
    guard let team = turn?.turn.team else { return }
    turn = nil
    idleTeam = team
  }

  /// Takes the workers from their slots that are not needed now.
  func vacateIdle() -> [RunID] { turn?.turn.vacateIdle() ?? idleTeam.vacateIdle() }

  // MARK: The queue

  /// How many prompts wait for the one that is being answered.
  var waitingPrompts: Int { queue.count }

  var isBusy: Bool { queue.isBusy }
}
