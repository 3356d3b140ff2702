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

  /// Gives back what was spent on a request that came to nothing.
  mutating func takeBack(_ admission: RoundAdmission) {
    switch admission {
    case .go: rounds += 1
    // Its tokens were never deducted.
    case .lastAnswer: lastAnswerGiven = false
    }
  }

  /// The answer that the next request would get if nothing changes before it is made.
  ///
  /// `nil` while friends hold a share, because they may return unused parts at any moment.
  var nextAdmission: Admission? {
    guard friendsNow == 0 else { return nil }
    var next = self
    return next.admitRound()
  }

  /// Ends a loop in which the same calls keep returning the same results.
  mutating func endLoop() { reach("repeats") }

  /// Asks for a request that the turn can do without, leaving untouched what the answer needs.
  mutating func admitSummary() -> Admission {
    if let reached { return .refused(cap: reached) }
    guard rounds > 1 else { return .refused(cap: "rounds") }
    guard tokens > 2 * Self.lastAnswerTokens else { return .refused(cap: "tokens") }
    rounds -= 1
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

  /// Deducts what was spent under an earlier coordinator.
  mutating func charge(rounds: Int, calls: Int, tokens: Int) {
    self.rounds -= rounds
    self.calls = max(0, self.calls - calls)
    spend(tokens: tokens)
  }

  enum Reservation: Equatable {
    case reserved(Budget)
    /// Too little is left now, but friends hold a share and may return part of it.
    case later
    case refused(cap: String)
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

  /// The rounds that phoning a friend costs.
  ///
  /// It is at least one, even if the friend ends before its first request: otherwise no cap would
  /// end a tool's loop that phones a friend whose process always dies.
  /// - Parameters:
  ///   - share: What the friend was given.
  ///   - rest: What the friend has left of it.
  static func rounds(spentOf share: Budget, leaving rest: Budget) -> Int {
    max(1, share.rounds - max(0, rest.rounds))
  }

  /// Puts back what a friend did not use.
  /// - Parameter share: What the friend was given.
  mutating func release(_ friend: Budget, of share: Budget) {
    rounds += share.rounds - Self.rounds(spentOf: share, leaving: friend)
    calls += max(0, friend.calls)
    // If a model takes more than it was given, this budget pays.
    tokens += friend.tokens + friend.tokensOfLastAnswer
    friendsNow -= 1
    noteTokens()
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
  /// The budget of a friend journaled by an older version, which did not record it.
  static let unbounded: Budget = {
    var caps = Caps()
    (caps.rounds, caps.calls, caps.tokens) = (Caps.maximum, Caps.maximum, Caps.maximum)
    caps.repeats = Caps.maximum
    return Budget(caps)
  }()

  /// The budget as the journal keeps it for a later coordinator.
  var journaled: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  /// Reads a journaled budget; `nil` when this version would not give such a budget to a friend.
  init?(journaled text: String) {
    guard let budget = try? JSONDecoder().decode(Budget.self, from: Data(text.utf8)),
      // These values enter arithmetic, and a journal may be imported from somebody else.
      [
        budget.rounds, budget.calls, budget.tokens, budget.tokensOfLastAnswer, budget.depth,
        budget.friendsNow, budget.fanOut, budget.repeats, budget.approvalSeconds,
      ].allSatisfy((0...Caps.maximum).contains)
    else { return nil }
    self = budget
  }
}
