import AgentKit
import Testing

@testable import Coordination

struct BudgetTests {
  private func budget(_ text: String) throws -> Budget {
    Budget(try GivenCaps(text).over(Caps()))
  }

  @Test func `Rounds are admitted until the cap, then one last answer, then none`() throws {
    var budget = try budget("rounds=2,tokens=100")
    #expect(budget.admitRound() == .admitted(.go(maximumTokens: 100)))
    #expect(budget.admitRound() == .admitted(.go(maximumTokens: 100)))
    #expect(budget.reached == nil)
    let last = Budget.Admission.admitted(
      .lastAnswer(cap: "rounds", maximumTokens: Budget.lastAnswerTokens)
    )
    #expect(budget.admitRound() == last)
    #expect(budget.admitRound() == .refused(cap: "rounds"))
    #expect(budget.reached == "rounds")
  }

  @Test func `With the policy to fail there is no last answer`() throws {
    var budget = try budget("rounds=1,policy=fail")
    _ = budget.admitRound()
    #expect(budget.admitRound() == .refused(cap: "rounds"))
  }

  @Test func `A request gets the tokens that are left`() throws {
    var budget = try budget("tokens=100")
    budget.spend(tokens: 60)
    #expect(budget.admitRound() == .admitted(.go(maximumTokens: 40)))
    budget.spend(tokens: 40)
    #expect(budget.reached == "tokens")
    let last = Budget.Admission.admitted(
      .lastAnswer(cap: "tokens", maximumTokens: Budget.lastAnswerTokens)
    )
    #expect(budget.admitRound() == last)
  }

  @Test func `Tokens that are said to be given back are not believed`() throws {
    var budget = try budget("tokens=100")
    budget.spend(tokens: -1000)
    #expect(budget.tokens == 100)
  }

  @Test func `Calls beyond the cap are not admitted, and the turn then ends`() throws {
    var budget = try budget("calls=3")
    #expect(budget.admitCalls(2) == 2)
    #expect(budget.admitCalls(2) == 1)
    #expect(budget.reached == "calls")
    #expect(budget.admitCalls(1) == 0)
    let last = Budget.Admission.admitted(
      .lastAnswer(cap: "calls", maximumTokens: Budget.lastAnswerTokens)
    )
    #expect(budget.admitRound() == last)
    #expect(budget.admitRound() == .refused(cap: "calls"))
  }

  @Test func `The first cap that is reached is the one that is told`() throws {
    var budget = try budget("calls=1,rounds=1")
    _ = budget.admitCalls(2)
    _ = budget.admitRound()
    #expect(budget.admitRound() == .refused(cap: "calls"))
  }

  @Test func `A friend gets half of what is left, and what it does not use comes back`() throws {
    var budget = try budget("rounds=8,calls=9,tokens=100")
    guard case .reserved(var friend) = budget.reserveFriend() else {
      Issue.record("The friend was refused.")
      return
    }
    let share = friend
    // A quarter of its tokens is reserved for its last answer.
    #expect((friend.rounds, friend.calls, friend.tokens, friend.depth) == (4, 4, 38, 2))
    #expect((budget.rounds, budget.calls, budget.tokens) == (4, 5, 50))
    _ = friend.admitRound()
    _ = friend.admitCalls(1)
    friend.spend(tokens: 10)
    budget.release(friend, of: share)
    #expect((budget.rounds, budget.calls, budget.tokens) == (7, 8, 90))
  }

  @Test(arguments: [(100, 75), (24, 18), (20, 15), (16, 11), (10, 5), (6, 3), (1, 0.5), (0, 0)])
  func `A friend leaves its caller a quarter of the time, and seconds where there are some`(
    left: Double,
    friend: Double
  ) {
    #expect(Budget.timeOfFriend(callerHas: .seconds(left)) == .seconds(friend))
  }

  @Test func `A friend costs one round, also when it has made no request`() throws {
    var budget = try budget("rounds=4,calls=9,tokens=100")
    for rounds in [3, 2, 1] {
      guard case .reserved(let friend) = budget.reserveFriend() else {
        Issue.record("The friend was refused.")
        return
      }
      budget.release(friend, of: friend)
      #expect((budget.rounds, budget.calls, budget.tokens) == (rounds, 9, 100))
    }
    // The last one is for the answer.
    #expect(budget.reserveFriend() == .refused(cap: "rounds"))
  }

  @Test func `A friend's last answer is paid out of its own part`() throws {
    var budget = try budget("rounds=8,tokens=100")
    guard case .reserved(var friend) = budget.reserveFriend() else {
      Issue.record("The friend was refused.")
      return
    }
    let share = friend
    friend.spend(tokens: 38)
    #expect(friend.admitRound() == .admitted(.lastAnswer(cap: "tokens", maximumTokens: 12)))
    friend.spend(tokens: 12)
    budget.release(friend, of: share)
    #expect(budget.tokens == 50)
  }

  @Test func `What a model takes beyond what it was given is missing above`() throws {
    var budget = try budget("rounds=8,tokens=100")
    guard case .reserved(var friend) = budget.reserveFriend() else {
      Issue.record("The friend was refused.")
      return
    }
    let share = friend
    friend.spend(tokens: 150)
    #expect(friend.admitRound() == .admitted(.lastAnswer(cap: "tokens", maximumTokens: 1)))
    friend.spend(tokens: 50)
    budget.release(friend, of: share)
    #expect(budget.tokens == -100)
    #expect(budget.admitRound() == .admitted(.lastAnswer(cap: "tokens", maximumTokens: 156)))
  }

  @Test func `What friends have is not used up while they have it`() throws {
    var budget = try budget("rounds=8,tokens=1000")
    guard case .reserved(let friend) = budget.reserveFriend() else {
      Issue.record("The friend was refused.")
      return
    }
    budget.spend(tokens: 600)
    budget.release(friend, of: friend)
    #expect(budget.reached == nil)
    #expect(budget.admitRound() == .admitted(.go(maximumTokens: 400)))
    budget.spend(tokens: 400)
    #expect(budget.reached == "tokens")
  }

  @Test func `A loop that is ended has reached the cap on repeats`() throws {
    var budget = try budget("repeats=2,policy=fail")
    #expect(budget.repeats == 2)
    budget.endLoop()
    #expect(budget.admitRound() == .refused(cap: "repeats"))
  }

  @Test(arguments: [
    ("depth=0", "depth"), ("fanout=0", "fanout"),
    ("rounds=1", "rounds"), ("tokens=1", "tokens"),
    ("tokens=15", "tokens"),
  ])
  func `A friend that there is no room for is refused`(text: String, cap: String) throws {
    var budget = try budget(text)
    #expect(budget.reserveFriend() == .refused(cap: cap))
  }

  @Test func `So many friends at a time, and no deeper`() throws {
    var budget = try budget("fanout=2,depth=2,rounds=64")
    guard case .reserved(var friend) = budget.reserveFriend(),
      case .reserved = budget.reserveFriend()
    else {
      Issue.record("A friend was refused.")
      return
    }
    let share = friend
    #expect(budget.reserveFriend() == .refused(cap: "fanout"))
    guard case .reserved(var deeper) = friend.reserveFriend() else {
      Issue.record("The friend's friend was refused.")
      return
    }
    #expect(deeper.reserveFriend() == .refused(cap: "depth"))
    friend.release(deeper, of: deeper)
    budget.release(friend, of: share)
    guard case .reserved = budget.reserveFriend() else {
      Issue.record("There is room again, but the friend was refused.")
      return
    }
  }
}
