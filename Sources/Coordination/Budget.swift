import AgentKit
import Foundation

/// What is left of a turn's caps.
///
/// A pure value: whoever holds it asks it, and does what it says.
///
/// A friend's budget is cut out of its parent's before the friend starts, with the tokens of the last
/// answer that it may give at a cap, and what the friend did not use is put back. So friends that run
/// at the same time cannot overshoot together.
struct Budget: Sendable, Equatable, Codable {
  /// The tokens of the last answer that a turn may give at a cap, beyond the cap on tokens.
  static let lastAnswerTokens = 256
  /// With fewer tokens a friend could say nothing.
  private static let leastShare = 8

  private(set) var rounds: Int
  private(set) var calls: Int
  private(set) var tokens: Int
  private(set) var depth: Int
  private var friendsNow = 0
  private let fanOut: Int
  /// How often a call may return the same.
  let repeats: Int
  private let policy: Caps.Policy
  /// What is kept for the last answer.
  private var tokensOfLastAnswer: Int
  /// How long a person may take to answer a question.
  let approvalSeconds: Int
  /// The cap that was reached first, if one was.
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

  /// Asks for one request to the model; it is spent when it is admitted.
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
    // One at the least, also where a model took more than it was given.
    let maximum = min(max(tokens, 1), Self.lastAnswerTokens)
    return .admitted(.lastAnswer(cap: reached, maximumTokens: maximum))
  }

  /// Gives back what was spent on a request that came to nothing.
  mutating func takeBack(_ admission: RoundAdmission) {
    switch admission {
    case .go: rounds += 1
    // Its tokens are still there.
    case .lastAnswer: lastAnswerGiven = false
    }
  }

  /// What would be said to the next request, if nothing changes until it is made; `nil` while friends
  /// have a part of it, who give back at any moment what they do not use.
  var nextAdmission: Admission? {
    guard friendsNow == 0 else { return nil }
    var next = self
    return next.admitRound()
  }

  /// Ends a loop in which the same calls return the same again and again.
  mutating func endLoop() { reach("repeats") }

  /// Asks for a request that the turn can do without: it gets none of what the answer needs.
  mutating func admitSummary() -> Admission {
    if let reached { return .refused(cap: reached) }
    guard rounds > 1 else { return .refused(cap: "rounds") }
    guard tokens > 2 * Self.lastAnswerTokens else { return .refused(cap: "tokens") }
    rounds -= 1
    return .admitted(.go(maximumTokens: tokens / 2))
  }

  /// Asks for calls of tools; returns how many may be made, counted from the first.
  mutating func admitCalls(_ count: Int) -> Int {
    let admitted = min(count, calls)
    calls -= admitted
    if admitted < count { reach("calls") }
    return admitted
  }

  /// Takes what a request has generated off; one that the cap cut short has reached it.
  mutating func spend(tokens count: Int) {
    tokens -= max(0, count)
    noteTokens()
  }

  /// Takes off what others have spent under an earlier coordinator.
  mutating func charge(rounds: Int, calls: Int, tokens: Int) {
    self.rounds -= rounds
    self.calls = max(0, self.calls - calls)
    spend(tokens: tokens)
  }

  enum Reservation: Equatable {
    case reserved(Budget)
    /// Too little is left now, and others have a part of it.
    case later
    case refused(cap: String)
  }

  /// Cuts a friend's budget out of this one: half of what is left, so that there is always something
  /// left for the next friend and for the answer.
  mutating func reserveFriend() -> Reservation {
    guard depth > 0 else { return .refused(cap: "depth") }
    guard friendsNow < fanOut else { return .refused(cap: "fanout") }
    guard rounds > 1 else { return shortage(of: "rounds") }
    let share = tokens / 2
    guard share >= Self.leastShare else { return shortage(of: "tokens") }
    // A quarter at the most, so that something is left to begin with.
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

  /// Others give back what they do not use.
  private func shortage(of cap: String) -> Reservation {
    friendsNow > 0 ? .later : .refused(cap: cap)
  }

  /// Puts back what a friend did not use.
  mutating func release(_ friend: Budget) {
    rounds += max(0, friend.rounds)
    calls += max(0, friend.calls)
    // A model that takes more than it was given is this budget's to pay.
    tokens += friend.tokens + friend.tokensOfLastAnswer
    friendsNow -= 1
    noteTokens()
  }

  /// What friends have is not used up yet: they give back what they do not need.
  private mutating func noteTokens() {
    if tokens <= 0, friendsNow == 0 { reach("tokens") }
  }

  private mutating func reach(_ cap: String) {
    reached = reached ?? cap
  }
}

extension Budget {
  /// For what an older version journaled of a friend, without what it was given.
  static let unbounded: Budget = {
    var caps = Caps()
    (caps.rounds, caps.calls, caps.tokens) = (Caps.maximum, Caps.maximum, Caps.maximum)
    caps.repeats = Caps.maximum
    return Budget(caps)
  }()

  /// What a friend is given, as the journal keeps it for another coordinator.
  var journaled: String? {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads what the journal has kept; `nil` when it is nothing that this version gives a friend.
  init?(journaled text: String) {
    guard let budget = try? JSONDecoder().decode(Budget.self, from: Data(text.utf8)),
      // Other people's journals can be imported, and these are counted with.
      [
        budget.rounds, budget.calls, budget.tokens, budget.tokensOfLastAnswer, budget.depth,
        budget.friendsNow, budget.fanOut, budget.repeats, budget.approvalSeconds,
      ].allSatisfy((0...Caps.maximum).contains)
    else { return nil }
    self = budget
  }
}
