import Journal
import Transcripts
import Wire

/// A turn reconstructed from the journal.
///
/// A pure value: requests and calls that were admitted are admitted again, in journal order.
struct TurnReplay: Sendable {
  private(set) var budget: Budget
  private(set) var repetition = Repetition()
  private(set) var round: OpenRound?
  /// The calls of the latest round.
  private(set) var lastCalls: EntryRecord?
  /// Whether any call has an output.
  private var hasOutputs = false
  private(set) var hasAnswer = false
  private(set) var answer: String?
  /// The bound, other than a cap, that cut the answer off.
  private var cut: String?
  /// What the turn has used, including its friends.
  private(set) var figures = RequestFigures()
  private let beginner: String

  /// Replays a turn.
  /// - Parameters:
  ///   - budget: The budget that the turn began with.
  ///   - beginner: The agent that made the calls without one in the journal.
  ///   - contexts: How agents' contexts were made to fit, in order.
  ///   - usages: What no entry and no context tells of, in order.
  ///   - friends: The friends phoned in the turn, in order.
  init(
    _ entries: [EntryRecord],
    budget: Budget,
    beginner: String,
    contexts: [ContextRecord],
    usages: [UsageRecord],
    friends: [JournaledFriend]
  ) {
    self.budget = budget
    self.beginner = beginner
    var (contexts, usages, friends) = (contexts[...], usages[...], friends[...])
    // The places in the journal give the order: a wall clock can be set.
    for entry in entries {
      while let context = contexts.first, context.afterEntry < entry.id {
        take(contexts.removeFirst())
      }
      while let usage = usages.first, usage.afterEntry < entry.id {
        take(usages.removeFirst())
      }
      // The friends of a round have spent what they needed when the next round begins.
      while let friend = friends.first, friend.began < entry.id {
        take(friends.removeFirst().spending)
      }
      take(entry)
    }
    for context in contexts { take(context) }
    for usage in usages { take(usage) }
    for friend in friends { take(friend.spending) }
  }

  /// Whether a tool may have run, given the calls that a person was asked about without deciding.
  func hasActed(undecided: Set<String>) -> Bool {
    guard lastCalls != nil else { return false }
    return hasOutputs || !undecided.isSuperset(of: round?.calls ?? [])
  }

  /// The cap at which the turn answered.
  var capOfAnswer: String? { budget.reached ?? cut }

  /// The exit of a turn that has answered.
  var exitOfAnswer: TurnExit { capOfAnswer.map(TurnExit.cap) ?? .answered }

  private mutating func take(_ spending: Spending) {
    budget.charge(rounds: spending.rounds, calls: spending.calls, tokens: spending.tokens)
    figures.addTokens(of: spending.figures)
  }

  /// Records a summary, which took a round and the tokens of its request.
  private mutating func take(_ record: ContextRecord) {
    guard let request = record.request else { return }
    budget.charge(rounds: 1, calls: 0, tokens: request.tokensOut)
    figures += RequestFigures(request)
  }

  /// Records the tokens of sessions that are no rounds of the agent's own.
  private mutating func take(_ record: UsageRecord) {
    budget.spend(tokens: record.request.tokensOut)
    figures += RequestFigures(record.request)
  }

  private mutating func take(_ record: EntryRecord) {
    if let request = record.request {
      // The last answer at a cap is recognized here and does not count as a round.
      if record.isRound { _ = budget.admitRound() }
      budget.spend(tokens: request.tokensOut)
      figures += RequestFigures(request)
    }
    hasAnswer = record.answer != nil
    switch record.entry {
    case .toolCalls(let calls):
      let agent = record.agent ?? beginner
      let admitted = budget.admitCalls(calls.count)
      let verdict = repetition.judge(calls, by: agent, limit: budget.repeats)
      if verdict.endsLoop { budget.endLoop() }
      round = OpenRound(calls, of: agent, admitted: admitted, repeated: verdict.repeated)
      lastCalls = record
    case .toolOutput(let output):
      repetition.note(output)
      hasOutputs = true
      round?.close(output.id)
      if round?.calls.isEmpty == true { round = nil }
    case .response: (answer, cut) = (record.answer, record.cut)
    case .instructions, .prompt, .reasoning: break
    }
  }
}

extension EntryRecord {
  /// The text of the entry if it is an answer; text alongside calls precedes them and is none.
  var answer: String? {
    guard request != nil, case .response(let response) = entry else { return nil }
    return response.segments.joinedText
  }

  /// The model's or server's own bound that cut the response off.
  var cut: String? { if case .response(let response) = entry { response.cut } else { nil } }

  /// Whether a request of the agent itself produced the entry.
  ///
  /// An output carries the usage of a tool's own sessions; an answer given by a tool took no time.
  fileprivate var isRound: Bool {
    if case .toolOutput = entry { return false }
    return request.map { $0.seconds > 0 } ?? false
  }
}

extension RequestFigures {
  init(_ record: RequestRecord) {
    self.init()
    tokensIn = record.tokensIn
    tokensCached = record.tokensCached
    tokensOut = record.tokensOut
    secondsToFirstToken = record.secondsToFirstToken
    seconds = record.seconds
  }
}
