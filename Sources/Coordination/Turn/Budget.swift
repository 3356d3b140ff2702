import Foundation
import Transcripts

/// What is left of a turn's caps.
///
/// A pure value: its owner asks it and acts on the result.
///
/// A friend's budget, including the tokens of the last answer that it may give at a cap, is cut
/// from its parent's before the friend starts, and what the friend does not use is put back, except
/// for one round. Friends that run at the same time therefore cannot overshoot together.
struct Budget: Sendable, Equatable, Codable {
  /// The tokens, beyond the cap, of the last answer that a turn may give when it reaches a cap.
  static let lastAnswerTokens = 256
  /// The least tokens a friend gets; with fewer it could not say anything.
  private static let leastShare = 8

  private(set) var rounds: Int
  private(set) var calls: Int
  private(set) var tokens: Int
  private(set) var depth: Int
  private var friendsNow = 0
  private let fanOut: Int
  /// How often a call may return the same result.
  let repeats: Int
  private let policy: Caps.Policy
  /// The tokens reserved for the last answer.
  private var tokensOfLastAnswer: Int
  /// How long a person may take to answer a question.
  let approvalSeconds: Int
  /// The first cap that was reached; `nil` if none was.
  private(set) var reached: String?
  private var lastAnswerGiven = false
  /// How many requests were lost with their workers and not counted.
  private var lostRequests = 0
  /// Workers could otherwise die and be replaced forever, and caps must always end a loop.
  private static let maximumLostRequests = 4

  init(_ caps: Caps) {
    rounds = caps.rounds
    calls = caps.calls
    tokens = caps.tokens
    depth = caps.depth
    fanOut = caps.fanOut
    repeats = caps.repeats
    policy = caps.policy
    tokensOfLastAnswer = caps.policy == .answer ? Self.lastAnswerTokens : 0
    approvalSeconds = caps.approval
  }

  enum Admission: Equatable {
    case admitted(RoundAdmission)
    case refused(cap: String)
  }

  /// Asks for one request to the model; an admitted request counts as spent.
  mutating func admitRound() -> Admission {
    if rounds <= 0 { reach("rounds") }
    if tokens <= 0 { reach("tokens") }
    guard let reached else {
      rounds -= 1
      return .admitted(.go(maximumTokens: tokens))
    }
    guard policy == .answer, !lastAnswerGiven else { return .refused(cap: reached) }
    lastAnswerGiven = true
    tokens += tokensOfLastAnswer
    tokensOfLastAnswer = 0
    // At least one token, even if a model took more than it was given.
    let maximum = min(max(tokens, 1), Self.lastAnswerTokens)
    return .admitted(.lastAnswer(cap: reached, maximumTokens: maximum))
  }

  /// The answer that the next request gets.
  var admission: Admission {
    var next = self
    return next.admitRound()
  }

  /// Spends what a request that was lost with its worker had generated; the next worker makes the
  /// request again.
  mutating func loseRequest(tokens: Int) {
    if lostRequests < Self.maximumLostRequests {
      lostRequests += 1
      // A last answer is granted again in full, from its own few tokens, so nothing is spent here.
      if case .admitted(.lastAnswer) = admission { return }
    } else {
      _ = admitRound()
    }
    spend(tokens: tokens)
  }

  /// Ends a loop in which the same calls keep returning the same results.
  mutating func endLoop() { reach("repeats") }

  /// Asks for a request that the turn can do without, leaving untouched what the answer needs.
  var admissionOfSummary: Admission {
    if let reached { return .refused(cap: reached) }
    guard rounds > 1 else { return .refused(cap: "rounds") }
    guard tokens > 2 * Self.lastAnswerTokens else { return .refused(cap: "tokens") }
    return .admitted(.go(maximumTokens: tokens / 2))
  }

  /// Asks for tool calls.
  /// - Returns: How many of them may be made, counted from the first.
  mutating func admitCalls(_ count: Int) -> Int {
    let admitted = min(count, calls)
    calls -= admitted
    if admitted < count { reach("calls") }
    return admitted
  }

  /// Deducts the tokens that a request generated; a request cut short by the cap has reached it.
  mutating func spend(tokens count: Int) {
    tokens -= max(0, count)
    noteTokens()
  }

  /// Deducts a summary, which takes a round.
  mutating func spendOnSummary(tokens count: Int) {
    rounds -= 1
    spend(tokens: count)
  }

  enum Reservation: Equatable {
    case reserved(Budget)
    /// Too little is left now, but friends hold a share and may return part of it.
    case later
    case refused(cap: String)
  }

  /// The share that a friend would get.
  var friendReservation: Reservation {
    var next = self
    return next.reserveFriend()
  }

  /// Cuts a friend's budget from this one.
  ///
  /// A friend gets half of what is left, so that something always remains for the next friend and
  /// for the answer.
  mutating func reserveFriend() -> Reservation {
    guard depth > 0 else { return .refused(cap: "depth") }
    guard friendsNow < fanOut else { return .refused(cap: "fanout") }
    guard rounds > 1 else { return shortage(of: "rounds") }
    let share = tokens / 2
    guard share >= Self.leastShare else { return shortage(of: "tokens") }
    // At most a quarter, so that the friend has something to begin with.
    let last = policy == .answer ? min(Self.lastAnswerTokens, share / 4) : 0
    var friend = self
    friend.rounds = rounds / 2
    friend.calls = calls / 2
    friend.tokens = share - last
    friend.tokensOfLastAnswer = last
    friend.depth = depth - 1
    friend.friendsNow = 0
    friend.reached = nil
    friend.lastAnswerGiven = false
    friend.lostRequests = 0
    rounds -= friend.rounds
    calls -= friend.calls
    tokens -= share
    friendsNow += 1
    return .reserved(friend)
  }

  /// The time that a friend gets of what its caller has left.
  ///
  /// A quarter remains, so that the caller can answer whatever becomes of the friend. However short
  /// the time, an answer takes some seconds: at least five remain, or half of less than ten.
  static func timeOfFriend(callerHas left: Duration) -> Duration {
    left - max(left / 4, min(.seconds(5), left / 2))
  }

  /// Says that a cap has too little left, or to ask later while friends may return what they hold.
  private func shortage(of cap: String) -> Reservation {
    friendsNow > 0 ? .later : .refused(cap: cap)
  }

  /// Puts back what a friend did not use.
  ///
  /// A friend costs at least one round, even if it ends before its first request: otherwise no cap
  /// would end a tool's loop that phones a friend whose process always dies.
  /// - Parameters:
  ///   - share: What the friend was given.
  ///   - countsRound: Whether the friend costs that round; one that can be asked again does not.
  mutating func release(_ friend: Budget, of share: Budget, countsRound: Bool = true) {
    let spent = share.rounds - max(0, friend.rounds)
    rounds += share.rounds - max(countsRound ? 1 : 0, spent)
    calls += max(0, friend.calls)
    // If a model takes more than it was given, this budget pays.
    tokens += friend.tokens + friend.tokensOfLastAnswer
    friendsNow -= 1
    noteTokens()
  }

  /// This budget with nothing left.
  var spent: Budget {
    var spent = self
    (spent.rounds, spent.calls, spent.tokens, spent.tokensOfLastAnswer) = (0, 0, 0, 0)
    return spent
  }

  /// Reaches the cap on tokens, but not while friends may still return some.
  private mutating func noteTokens() {
    if tokens <= 0, friendsNow == 0 { reach("tokens") }
  }

  private mutating func reach(_ cap: String) {
    reached = reached ?? cap
  }
}

extension Budget {
  /// The budget as the journal keeps it for a later coordinator.
  var journaled: String {
    // Numbers and a word, which can always be encoded.
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Reads the share of a friend; `nil` for what no turn would give.
  init?(journaled text: String) { self.init(text, in: 0...Caps.maximum) }

  /// Reads what a friend left of its share, which is less than nothing where a model took more than
  /// it was given.
  init?(journaledRest text: String) { self.init(text, in: -Caps.maximum...Caps.maximum) }

  /// The numbers enter arithmetic, and a journal may be imported.
  private init?(_ text: String, in range: ClosedRange<Int>) {
    guard let budget = try? JSONDecoder().decode(Budget.self, from: Data(text.utf8)),
      [
        budget.rounds, budget.calls, budget.tokens, budget.tokensOfLastAnswer, budget.depth,
        budget.friendsNow, budget.fanOut, budget.lostRequests, budget.repeats,
        budget.approvalSeconds,
      ].allSatisfy(range.contains)
    else { return nil }
    self = budget
  }
}
