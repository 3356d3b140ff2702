import Foundation
import Journal
import Transcripts
import Wire

/// One conversation, of a session or of a friend: its transcript, the holder of its baton and its
/// workers.
///
/// A mailbox and an executor: what arrives is handled one at a time by the turn, a pure value, and
/// what the turn decides is done here. While facts are being written, nothing else is handled.
actor Conversation {
  let record: ConversationRecord
  let services: ConversationServices
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
  /// The end of a turn that could not be journaled; no other turn begins before it is.
  var unwrittenEnd: UnwrittenEnd?
  var status = ConversationStatus()

  init(
    _ record: ConversationRecord,
    title: String,
    past: ConversationPast = ConversationPast(),
    windows: [String: Int] = [:],
    services: ConversationServices
  ) {
    self.record = record
    self.title = title
    self.past = past
    self.past.holder = record.holder
    self.services = services
    idleTeam = Team(windows: windows, policy: services.restarts)
  }

  nonisolated var isFriend: Bool { record.parent != nil }

  /// The workers; those of a turn while one goes on.
  var team: Team { turn?.turn.team ?? idleTeam }

  // MARK: Turns

  /// Prepares for a turn: what others are told must be what is on disk.
  func prepareForTurn() async throws {
    status.isCancelRequested = false
    try await writeEnd()
  }

  /// Runs a turn that the journal has begun.
  /// - Parameters:
  ///   - isResumed: Whether an earlier coordinator began it.
  ///   - delay: How long it waits before it goes on.
  ///   - traceparent: The span of the turn in which a friend is asked.
  ///   - countHolds: Counts workers that wait for a host for the caller of a friend.
  func runTurn(
    _ state: TurnState,
    deadline: SuspendingClock.Instant,
    isAttended: Bool,
    isResumed: Bool = false,
    after delay: Duration? = nil,
    traceparent: String? = nil,
    countHolds: ActiveTurn.CountHolds? = nil,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> TurnPart {
    status.watch = watch
    let id = state.id
    let settings = Turn.Settings(
      isFriend: isFriend,
      isResumed: isResumed,
      delay: delay,
      session: title,
      traceparent: isFriend
        ? traceparent : TracedTurn(state, session: title).flatMap(services.tracing.turn),
      stopPatience: services.stopPatience,
      fitPatience: services.fitPatience,
      approvalPatience: .seconds(state.budget.approvalSeconds)
    )
    return await part(of: id, until: deadline) { finish in
      turn = ActiveTurn(
        Turn(
          state,
          idleTeam,
          isAttended: isAttended || status.attendedTurn == id,
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
    } start: {
      await self.begin(turn: id)
    }
  }

  private func begin(turn id: Int64) async {
    // The journal was awaited: the turn may have been stopped before it began.
    if status.isClosed || status.isCancelRequested {
      await leave(turn: id)
    } else {
      await post(.begin, to: id)
    }
  }

  /// Stops a turn; one that was cancelled is not left to the next coordinator.
  func leave(turn id: Int64) async {
    await post(.stop(.cancelled, leavesOpen: !status.isCancelRequested), to: id)
  }

  /// Stops the turn that is under way, or that is about to begin.
  /// - Returns: Whether one was under way.
  @discardableResult
  func cancel() async -> Bool {
    status.isCancelRequested = true
    guard let turn else { return false }
    await post(.stop(.cancelled), to: turn.id)
    return true
  }

  // MARK: The mailbox

  /// Handles an input once those before it are handled.
  /// - Parameter id: The turn that the input is for; `nil` for whichever goes on.
  func post(_ input: Input, to id: Int64? = nil) async {
    await enterMailbox()
    defer { mailbox.leave() }
    // Without a copy of the turn, which would have it copy what the input changes.
    if let current = turn?.id, id == nil || id == current { return await handle(input) }
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
}

/// What all conversations share.
struct ConversationServices: Sendable {
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

/// How a conversation stands, beside its turn.
struct ConversationStatus {
  let opened = ContinuousClock.now
  /// When the last turn ended.
  var lastAnswer: ContinuousClock.Instant?
  /// Shows what happens to those who watch the last turn.
  var watch: @Sendable (TurnEvent) -> Void = { _ in }
  /// How long its workers have waited for hosts.
  var heldTime = Duration.zero
  /// The turn about whose calls a person has come to be asked.
  var attendedTurn: Int64?
  var isCancelRequested = false
  var isClosed = false
}
