import AgentKit
import Journal
import Wire

/// A turn put together again from what the journal has of it.
///
/// A pure value: requests and calls that were admitted then are admitted again, in the order in which they
/// were journaled.
struct TurnReplay: Sendable {
  private(set) var budget: Budget
  private(set) var repetition = Repetition()
  private(set) var round: OpenRound?
  /// With what the latest round began.
  private(set) var lastCalls: EntryRecord?
  /// Whether anything has come of calls.
  private var hasOutputs = false
  private(set) var hasAnswer = false
  private(set) var answer: String?
  /// What cut that off, other than a cap.
  private var cut: String?
  /// What was used, with what friends have used.
  private(set) var figures = RequestFigures()
  private let beginner: String

  /// - Parameters:
  ///   - budget: What the turn began with.
  ///   - beginner: Whose calls those are that are nobody's in the journal.
  ///   - contexts: How its agents' contexts were made to fit, in order.
  ///   - friends: Those that were phoned in it, in order.
  init(
    _ entries: [EntryRecord],
    budget: Budget,
    beginner: String,
    contexts: [ContextRecord],
    friends: [JournaledFriend]
  ) {
    self.budget = budget
    self.beginner = beginner
    var (contexts, friends) = (contexts[...], friends[...])
    // What came before what, the places in the journal say: a clock on the wall may be set.
    for entry in entries {
      while let context = contexts.first, context.afterEntry < entry.id {
        take(contexts.removeFirst())
      }
      // The friends of a round have spent what they needed when the next one begins.
      while let friend = friends.first, friend.began < entry.id {
        take(friends.removeFirst().spending)
      }
      take(entry)
    }
    for context in contexts { take(context) }
    for friend in friends { take(friend.spending) }
  }

  /// Whether a tool may have run, where about these calls a person was asked and had not decided.
  func hasActed(undecided: Set<String>) -> Bool {
    guard lastCalls != nil else { return false }
    return hasOutputs || !undecided.isSuperset(of: round?.calls ?? [])
  }

  /// The cap at which it has answered.
  var capOfAnswer: String? { budget.reached ?? cut }

  /// How a turn ended that has answered.
  var exitOfAnswer: TurnExit { capOfAnswer.map(TurnExit.cap) ?? .answered }

  private mutating func take(_ spending: Spending) {
    budget.charge(rounds: spending.rounds, calls: spending.calls, tokens: spending.tokens)
    figures.addTokens(of: spending.figures)
  }

  /// A summary took a round, and what its request took.
  private mutating func take(_ record: ContextRecord) {
    guard let request = record.request else { return }
    budget.charge(rounds: 1, calls: 0, tokens: request.tokensOut)
    figures += RequestFigures(request)
  }

  private mutating func take(_ record: EntryRecord) {
    if let request = record.request {
      // The last answer at a cap is known by this, and is no round.
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
  /// What it says, when it is an answer: text beside calls comes before them, and is none.
  var answer: String? {
    guard request != nil, case .response(let response) = entry else { return nil }
    return response.segments.joinedText
  }

  /// The bound of its model's own, or of a server's, that cut it off.
  var cut: String? { if case .response(let response) = entry { response.cut } else { nil } }

  /// Whether a request of its agent's made it: what a tool's own sessions have used comes with its
  /// output, and an answer that a tool has given took no time.
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
