import Journal
import Transcripts

/// What the facts of a turn come to.
///
/// `apply(_:)` is the only way in which it changes, while the turn goes on and after a restart
/// alike, so a turn that is taken up is where the one that was lost had come to.
struct TurnState: Sendable, Equatable {
  let id: Int64
  /// What the sender of the prompt asks of the turn.
  private(set) var options: TurnOptions?
  /// The identity of the prompt that began it.
  private(set) var promptID: String?
  private(set) var budget: Budget
  private(set) var repetition = Repetition()
  /// The round whose calls do not all have outputs yet.
  private(set) var round: OpenRound?
  private var shared: Shared
  private(set) var baton: Baton
  private(set) var answer: Answer?
  private(set) var friends = FriendCalls()
  /// What the turn has used, including its friends.
  private(set) var usage = RequestUsage()
  /// Whether any call has an output.
  private var hasOutputs = false

  /// What the agents share.
  private struct Shared: Sendable, Equatable {
    var history: ChunkedArray<RawEntry>
    var unchanged: Int
    var properties: [String: String]
  }

  /// Who holds the baton, and who did before the turn.
  struct Baton: Sendable, Equatable {
    let before: String
    var holder: String
  }

  /// The latest response.
  struct Answer: Sendable, Equatable {
    /// `nil` for text alongside calls, which is no answer.
    let text: String?
    /// The cap at which it was given, or the bound that cut it off.
    let cap: String?
    /// Whether it is the last entry.
    var isLast = true
  }

  /// Begins a turn of a conversation that has come to this.
  init(
    id: Int64,
    budget: Budget,
    history: ChunkedArray<RawEntry>,
    properties: [String: String],
    holder: String
  ) {
    self.id = id
    self.budget = budget
    shared = Shared(history: history, unchanged: history.count, properties: properties)
    baton = Baton(before: holder, holder: holder)
  }

  /// What the agents see: the conversation's history and what this turn added.
  var history: ChunkedArray<RawEntry> { shared.history }
  /// How many leading entries of the history are unchanged since before the turn.
  var unchanged: Int { shared.unchanged }
  /// The session properties of the agents, as JSON by name.
  var properties: [String: String] { shared.properties }

  /// Whether the last entry is the answer, so that only the worker's word that it is complete is
  /// missing.
  var hasAnswer: Bool { answer.map { $0.isLast && $0.text != nil } ?? false }

  /// The exit of a turn that has answered.
  var exitOfAnswer: TurnExit { capOfAnswer.map(TurnExit.cap) ?? .answered }

  /// The cap at which the turn answered, or which it has reached without an answer.
  var capOfAnswer: String? { hasAnswer ? answer?.cap : budget.reached }

  /// Whether a tool may have run.
  var hasActed: Bool { hasOutputs || round?.mayHaveRun ?? false }

  /// Returns the state after facts.
  func applying(_ facts: [Fact]) -> TurnState {
    var state = self
    for fact in facts { state.apply(fact) }
    return state
  }

  /// Changes the state as a fact of the turn says.
  mutating func apply(_ fact: Fact) {
    switch fact.event {
    case .prompted(let entry, _, let options, _):
      shared.history.append(entry)
      self.options = options
      promptID = entry.id
    case .recorded(let entry, let usage): record(entry, usage, fact)
    case .returnedEarly(let entry):
      guard case .toolOutput(let output) = entry.entry else { return }
      round?.recordEarly(output, bytes: entry.size)
    case .changedState(let change): update(change)
    case .passedBaton(let pass):
      baton.holder = pass.to
      if let callID = pass.callID { repetition.recordPass(callID) }
    case .phoned(let call):
      guard case .reserved(let share) = budget.reserveFriend() else { return }
      friends.begin(call, share: share)
    case .friendEnded(let end): finish(end)
    case .askedApproval(let question): round?.ask(question, number: fact.id)
    case .answeredApproval(let question, let decision): round?.decide(question, decision)
    case .deliveredApproval(let callID): round?.deliverApproval(of: callID)
    case .askedClient(let calls): round?.askClient(calls)
    case .answeredClient(let outputs, let request):
      round?.answerForClient(outputs, request: request)
    case .abandonedRequest(let tokens):
      _ = budget.admitRound()
      budget.spend(tokens: tokens)
    case .died(let death):
      round?.loseWorker()
      if let tokens = death.tokensLost { budget.loseRequest(tokens: tokens) }
    case .resumed: round?.loseWorker()
    case .imported: round?.distrustApprovals()
    case .calledServer, .leftOpen, .ended, .began, .importedEntry, .launched, .exited: break
    }
  }

  private mutating func record(_ entry: RawEntry, _ usage: RequestUsage?, _ fact: Fact) {
    if let usage {
      // The last answer at a cap is recognized here and does not count as a round.
      if entry.isRound(usage) { _ = budget.admitRound() }
      budget.spend(tokens: usage.tokensOut)
      self.usage += usage
    }
    shared.history.append(entry)
    answer?.isLast = false
    switch entry.entry {
    case .toolCalls(let calls):
      let agent = fact.agent ?? baton.holder
      let count = budget.admitCalls(calls.count)
      let verdict = repetition.judge(calls, by: agent, limit: budget.repeats)
      if verdict.endsLoop { budget.endLoop() }
      round = OpenRound(
        calls,
        of: agent,
        OpenRound.Admission(count: count, repeated: verdict.repeated),
        fact: fact.id
      )
    case .toolOutput(let output):
      repetition.record(output)
      hasOutputs = true
      round?.close(output.id)
      if round?.open.isEmpty == true { round = nil }
      friends.close(callID: output.id)
    case .response(let response):
      answer = Answer(
        text: usage == nil ? nil : response.segments.joinedText,
        cap: budget.reached ?? response.cut
      )
    case .instructions, .prompt, .reasoning: break
    }
  }

  private mutating func finish(_ end: FriendEnd) {
    guard let share = friends.end(end.conversation, answer: end.answer) else { return }
    // A friend that can be asked again has cost nothing but what it used.
    budget.release(
      Budget(journaledRest: end.budget) ?? share.spent,
      of: share,
      countsRound: end.answer != nil
    )
    usage.addTokens(of: end.usage)
  }

  private mutating func update(_ change: StateChange) {
    shared.properties.merge(change.properties) { $1 }
    if let usage = change.usage {
      if change.context == nil {
        // Sessions that are no rounds of the agent's own.
        budget.spend(tokens: usage.tokensOut)
      } else {
        budget.spendOnSummary(tokens: usage.tokensOut)
      }
      self.usage += usage
    }
    guard let edit = change.history, let edited = try? edit.applied(to: history) else { return }
    shared.history = edited
    shared.unchanged = min(unchanged, edit.unchangedCount)
  }
}

extension RawEntry {
  /// Whether a request of the agent itself produced the entry.
  ///
  /// An output carries the usage of a tool's own sessions; an answer given by a tool took no time.
  func isRound(_ usage: RequestUsage) -> Bool {
    if case .toolOutput = entry { return false }
    return usage.seconds > 0
  }
}
