import AgentKit
import TestSupport
import Testing

@testable import Coordination

/// Simulates trees of agents that take whatever they are given, in random order.
struct BudgetPropertyTests {
  /// What all agents of a tree have spent.
  private struct Spent: Equatable {
    var rounds = 0
    var calls = 0
    var tokens = 0
    /// The last answers of root agents; those of friends are counted separately.
    var lastAnswers = 0
    var friendsLastAnswers = 0
    var deepest = 0
    var widest = 0
  }

  private struct Node {
    var budget: Budget
    /// What the budget was at the beginning.
    let share: Budget
    var parent: Int?
    var depth: Int
    var friends = 0
    /// The most tokens that the current request may generate.
    var request: Int?
    var isOver = false
  }

  private func play(_ caps: Caps, seed: UInt64, reserve: (inout Budget) -> Budget?) -> Spent {
    var random = Seeded(seed)
    var spent = Spent()
    var nodes = [Node(budget: Budget(caps), share: Budget(caps), depth: 0)]
    for _ in 0..<400 {
      let index = Int.random(in: nodes.indices, using: &random)
      if nodes[index].isOver { continue }
      if let most = nodes[index].request {
        let tokens = Bool.random(using: &random) ? most : Int.random(in: 0...most, using: &random)
        nodes[index].budget.spend(tokens: tokens)
        nodes[index].request = nil
        spent.tokens += tokens
        continue
      }
      // An agent waits for the friends it has phoned before it asks its model again.
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        if nodes[index].friends > 0 { continue }
        switch nodes[index].budget.admitRound() {
        case .admitted(.go(let most)):
          spent.rounds += 1
          nodes[index].request = most ?? 0
        case .admitted(.lastAnswer(_, let most)):
          if nodes[index].parent == nil {
            spent.lastAnswers += 1
          } else {
            spent.friendsLastAnswers += 1
          }
          nodes[index].request = most ?? 0
        case .refused: nodes[index].isOver = nodes[index].parent != nil
        }
      case 2:
        spent.calls += nodes[index].budget.admitCalls(Int.random(in: 1...4, using: &random))
      case 3:
        guard let friend = reserve(&nodes[index].budget) else { continue }
        nodes[index].friends += 1
        spent.widest = max(spent.widest, nodes[index].friends)
        spent.deepest = max(spent.deepest, nodes[index].depth + 1)
        nodes.append(
          Node(budget: friend, share: friend, parent: index, depth: nodes[index].depth + 1)
        )
      default:
        guard let parent = nodes[index].parent, nodes[index].friends == 0 else { continue }
        nodes[index].isOver = true
        nodes[parent].budget.release(nodes[index].budget, of: nodes[index].share)
        nodes[parent].friends -= 1
      }
    }
    return spent
  }

  private func caps(_ random: inout Seeded) -> Caps {
    var caps = Caps()
    caps.rounds = Int.random(in: 1...40, using: &random)
    caps.calls = Int.random(in: 1...40, using: &random)
    caps.tokens = Int.random(in: 1...4000, using: &random)
    caps.depth = Int.random(in: 0...4, using: &random)
    caps.fanOut = Int.random(in: 0...5, using: &random)
    caps.policy = Bool.random(using: &random) ? .answer : .fail
    return caps
  }

  private func overshoots(_ spent: Spent, _ caps: Caps) -> Bool {
    spent.rounds > caps.rounds || spent.calls > caps.calls
      || spent.tokens > caps.tokens + spent.lastAnswers * Budget.lastAnswerTokens
      || spent.deepest > caps.depth || spent.widest > caps.fanOut
      || (caps.policy == .fail && spent.lastAnswers + spent.friendsLastAnswers > 0)
  }

  @Test func `A tree never takes more than its caps and the last answer at its root`() {
    var random = Seeded(20_261_121)
    var (friends, lastAnswers) = (0, 0)
    for seed in 0..<2000 {
      let caps = caps(&random)
      let spent = play(caps, seed: UInt64(seed)) { budget in
        guard case .reserved(let friend) = budget.reserveFriend() else { return nil }
        return friend
      }
      friends += spent.deepest
      lastAnswers += spent.friendsLastAnswers
      #expect(!overshoots(spent, caps), "seed \(seed): \(spent) of \(caps)")
    }
    #expect(friends > 1000)
    #expect(lastAnswers > 100)
  }

  @Test func `The check above would notice friends whose last answers are not reserved`() {
    var random = Seeded(20_261_121)
    let caught = (0..<2000).filter { seed in
      let caps = caps(&random)
      let spent = play(caps, seed: UInt64(seed)) { budget in
        guard case .reserved(let friend) = budget.reserveFriend() else { return nil }
        // Gives the friend a budget of its own, whose last answer is not part of its reservation.
        var own = caps
        own.rounds = max(1, friend.rounds)
        own.calls = max(1, friend.calls)
        own.tokens = max(1, friend.tokens)
        own.depth = friend.depth
        return Budget(own)
      }
      return overshoots(spent, caps)
    }
    #expect(!caught.isEmpty)
  }

  @Test func `The check above would notice friends that are given what is not reserved`() {
    var random = Seeded(20_261_121)
    let caught = (0..<200).filter { seed in
      let caps = caps(&random)
      let spent = play(caps, seed: UInt64(seed)) { budget in
        var copy = budget
        guard case .reserved(let friend) = copy.reserveFriend() else { return nil }
        return friend
      }
      return overshoots(spent, caps)
    }
    #expect(!caught.isEmpty)
  }

  @Test func `What a friend does not use comes back to the last token, except for a round`() {
    var random = Seeded(7)
    for _ in 0..<500 {
      var caps = caps(&random)
      caps.depth = 1
      caps.fanOut = 5
      var budget = Budget(caps)
      var before = budget
      var friends: [Budget] = []
      while case .reserved(let friend) = budget.reserveFriend() { friends.append(friend) }
      for friend in friends.shuffled(using: &random) { budget.release(friend, of: friend) }
      for _ in friends { before.spendOnSummary(tokens: 0) }
      #expect(budget == before)
    }
  }
}
