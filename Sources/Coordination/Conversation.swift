import Foundation
import Journal
import Transcripts
import Wire

/// One conversation: its transcript, the holder of its baton and its workers.
///
/// Everything that a worker says arrives here, one message at a time. A message is decided on at
/// once; lengthy work goes on elsewhere and comes back as another message.
package actor Conversation {
  let record: ConversationRecord
  let services: Services
  /// The name of the conversation as shown to people.
  nonisolated let title: String
  /// What the agents see of the conversation, up to the last turn.
  var history: [Transcript.Entry]
  /// The session properties of the agents, as JSON by name.
  var properties: [String: String]
  var holder: String
  var seats: [String: Seat] = [:]
  /// The workers that are being started, by the runs under which they were requested.
  var launches: [RunID: Task<Void, any Error>] = [:]
  /// The workers that have not ended yet, including those that have lost their seats.
  var lives: [RunID: Life] = [:]
  /// The friends on the phone, by the conversation that each of them has.
  var friends: [Int64: Conversation] = [:]
  /// The friends whose workers have been told to end, until they have.
  var leavingFriends: [Int64: Conversation] = [:]
  /// The friends that wait until others return unused budget.
  var waitingFriends: [CheckedContinuation<Void, Never>] = []
  var turn: ActiveTurn?
  /// What the workers have used, including their friends that are gone.
  var used = RequestFigures()
  /// The windows of the agents that have answered here, in tokens.
  var windows: [String: Int]
  /// The pending questions to workers whether they can take the baton.
  var fitting: [RunID: FitQuestion] = [:]
  /// A turn that an earlier coordinator began and did not end.
  var interrupted: InterruptedTurn?
  /// What became of an interrupted turn that is not continued, until somebody is told.
  var givenUp: String?
  /// An interrupted turn while it goes on here.
  var resuming: ResumedTurn?
  /// The end of a turn that could not be journaled; no other turn begins before it is.
  var unwrittenEnd: UnwrittenEnd?
  /// The deaths of workers in turns, by agent.
  var restarts: [String: Restarts] = [:]
  let opened = ContinuousClock.now
  /// When the last turn ended.
  var lastAnswer: ContinuousClock.Instant?
  /// The watcher of the last turn.
  var lastWatch: (@Sendable (TurnEvent) -> Void)?
  /// Whether a task is pending that will write the held entries.
  var isHolding = false
  /// The task that writes entries that were held long enough.
  var heldWrite: Task<Void, Never>?
  private var queue = TurnQueue()
  var isCancelRequested = false
  private(set) var isClosed = false

  /// What all conversations share.
  struct Services: Sendable {
    let journal: Journal
    let workers: any Workers
    let catalog: any AgentCatalog
    let approvals: ApprovalDesk
    /// The cores on which workers wait to compute; `nil` when cores are not shared.
    let cores: Cores?
    /// How long a worker may take to stop before it is killed.
    let stopPatience: Duration
    /// How long a worker may take to say whether it can take the baton before it is killed.
    let fitPatience: Duration
    /// How often a worker that dies in the middle of a turn is replaced.
    let restarts: RestartPolicy
    /// How long an entry that nobody waits for is held, to be written together with what follows.
    let entryPatience: Duration
  }

  init(
    _ record: ConversationRecord,
    title: String,
    history: [Transcript.Entry] = [],
    properties: [String: String] = [:],
    windows: [String: Int] = [:],
    interrupted: InterruptedTurn? = nil,
    givenUp: String? = nil,
    services: Services
  ) {
    self.record = record
    self.title = title
    self.history = history
    self.properties = properties
    self.windows = windows
    (self.interrupted, self.givenUp) = (interrupted, givenUp)
    self.services = services
    holder = record.holder
  }

  var isFriend: Bool { record.parent != nil }

  /// Answers a prompt, after earlier prompts and after a turn that an earlier coordinator left.
  /// - Parameters:
  ///   - agent: Who is to begin a new conversation; one that exists goes on with its holder.
  ///   - images: The images of the prompt.
  ///   - isAttended: Whether a person is present who can be asked before calls are made.
  /// - Throws: `ConversationError`, `CancellationError` or the journal's error when the prompt is
  ///   not accepted. After that, the summary reports everything that happens.
  package func respond(
    to prompt: String,
    begunBy agent: String? = nil,
    images: [PromptImage] = [],
    caps: Caps,
    isAttended: Bool = false,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async throws -> TurnSummary {
    let place = try await enterQueue(isAttended: isAttended, watch: watch)
    defer { leaveQueue(place) }
    try await finishInterruptedTurn(from: place, isAttended: isAttended, watch: watch)
    guard !isClosed else { throw ConversationError.closed }
    try Task.checkCancellation()
    isCancelRequested = false
    let entry = try entry(of: prompt, images)
    try await writeEnd()
    let substitution = try await self.substitution()
    let (record, _) = try await services.journal.beginTurn(
      in: record.id,
      prompt: entry,
      caps: caps.journaled,
      substitution: substitution
    )
    let holderBefore = holder
    if let substitution { holder = substitution.to }
    let correction = agent.flatMap { agent in
      agent == holderBefore
        ? nil : Self.correction(of: title, goingOnWith: holder, beginner: agent)
    }
    return await answer(
      entry,
      in: record.id,
      holderBefore: holderBefore,
      budget: Budget(caps),
      deadline: SuspendingClock.now + .seconds(caps.seconds),
      isAttended: isAttended
    ) { event in
      watch(event)
      if case .accepted = event, let correction { watch(.trouble(correction)) }
    }.summary
  }

  /// The message that the conversation goes on with a different agent than requested.
  package static func correction(
    of session: String,
    goingOnWith holder: String,
    beginner: String
  ) -> String {
    "session '\(session)' continues with \(holder), which holds its baton; --agent \(beginner)"
      + " applies to new sessions only: name one with --session"
  }

  /// Answers the prompt of a turn that is new in the journal.
  /// - Parameter holderBefore: The agent that gets the baton back if the turn is taken back; `nil`
  ///   for the current holder.
  func answer(
    _ entry: Transcript.Entry,
    in turn: Int64,
    holderBefore: String? = nil,
    budget: Budget,
    deadline: SuspendingClock.Instant,
    isAttended: Bool,
    watch: @escaping @Sendable (TurnEvent) -> Void
  ) async -> TurnResult {
    watch(.accepted(turn: turn, conversation: title))
    if let holderBefore, holderBefore != holder {
      tell(of: BatonSubstitution(from: holderBefore, to: holder), to: watch)
    }
    return await conduct(turn, deadline: deadline, watch: watch) { finish in
      ActiveTurn(
        id: turn,
        holderBefore: holderBefore ?? holder,
        deadline: deadline,
        isAttended: isAttended,
        watch: watch,
        finish: finish,
        budget: budget,
        quota: Quota(budget),
        history: history + [entry],
        unchanged: history.count
      )
    }
  }

  /// Runs a turn that the journal has begun.
  func conduct(
    _ id: Int64,
    deadline: SuspendingClock.Instant,
    watch: @escaping @Sendable (TurnEvent) -> Void,
    _ begin: (@escaping @Sendable (TurnResult) -> Void) -> ActiveTurn
  ) async -> TurnResult {
    lastWatch = watch
    let timer = startTimer(for: id, deadline: deadline)
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        turn = begin { continuation.resume(returning: $0) }
        // The journal was awaited: the turn may have been stopped before it began.
        if isClosed { turn?.leaveOpen() }
        if isClosed || isCancelRequested { turn?.stopping = .cancelled }
        // Sending to the worker needs this actor, which the continuation occupies.
        Task { await self.goOn(with: id) }
      }
    } onCancel: {
      // Cancellation arrives on any thread; the actor decides what it means.
      Task { await self.stop(turn: id, because: .cancelled) }
    }
  }

  /// Ends the workers if nothing was asked for some time.
  ///
  /// The next prompt starts new ones, which have to read everything again.
  func retireWorkers(idleFor time: Duration) {
    guard turn == nil, lastAnswer != nil, idleTime > time else { return }
    for seat in seats.values { retire(seat.link.run) }
    seats = [:]
  }

  /// Whether the conversation was idle for some time, has nothing under way and is fully journaled.
  func isAtRest(for time: Duration) -> Bool {
    !queue.isBusy && turn == nil && lives.isEmpty && launches.isEmpty && friends.isEmpty
      && leavingFriends.isEmpty && unwrittenEnd == nil && resuming == nil && idleTime > time
  }

  /// Stops the turn that is under way.
  package func cancel() async {
    isCancelRequested = true
    if let turn { await stop(turn: turn.id, because: .cancelled) }
  }

  /// Stops a turn at its deadline, unless the timer is cancelled, as it is when the turn ends.
  private func startTimer(for turn: Int64, deadline: SuspendingClock.Instant) -> Alarm {
    Alarm(at: deadline) {
      Task { await self.stop(turn: turn, because: .cap("seconds")) }
    }
  }

  /// Stops the current turn and ends all workers; returns when they are gone, which is journaled.
  func close() async {
    isClosed = true
    let friends = friendsWithProcesses.values
    turn?.leaveOpen()
    await cancel()
    // What still cannot be written is handled by the next start, as a turn that nobody ended.
    try? await writeEnd()
    for launch in launches.values {
      launch.cancel()
      _ = try? await launch.value
    }
    await withTaskGroup(of: Void.self) { group in
      for life in lives.values {
        group.addTask {
          // The end of one that has not ended may never come.
          if await !life.link.retire() { life.reader.cancel() }
          await life.reader.value
        }
      }
      for friend in friends { group.addTask { await friend.close() } }
    }
  }

  // MARK: The queue

  /// How many prompts wait for the one that is being answered.
  var waitingPrompts: Int { queue.count }

  /// Waits for a place at the head of the queue; on success, the caller has to leave the queue.
  /// - Throws: `ConversationError` when too many wait; `CancellationError` when the caller gave up.
  func enterQueue() async throws {
    switch queue.enter() {
    case .first: return
    case .full: throw ConversationError.tooManyWaiting(TurnQueue.maximum)
    case .waits(let ticket):
      let isNext = await withTaskCancellationHandler {
        await withCheckedContinuation { queue.wait(ticket, $0) }
      } onCancel: {
        // Cancellation arrives on any thread; the actor has the queue.
        Task { await self.giveUpWaiting(ticket) }
      }
      guard isNext else { throw CancellationError() }
    }
  }

  private func giveUpWaiting(_ ticket: Int) {
    queue.giveUp(ticket)?.resume(returning: false)
  }

  func leaveQueue(_ place: WatchersPlace?) {
    place?.leave()
    queue.leave()?.resume(returning: true)
  }
}
