import AgentKit
import Testing
import Wire

@testable import Coordination

@Suite(.timeLimit(.minutes(5)))
struct QueueTests {
  private static func echoing(after gate: Signal) -> Script {
    serving { turn in
      await gate.wait()
      return try await turn.answer(turn.order.added.last?.words ?? "")
    }
  }

  @Test func `Prompts that come at the same time are answered in their order`() async throws {
    let gate = Signal()
    let table = try Table(["a": Self.echoing(after: gate)])
    let talk = try await table.talk
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<5 {
        group.addTask {
          let answer = try await table.say("\(number)").answer
          #expect(answer == "prompt: \(number)")
        }
        // Wait until the prompt has entered the queue before adding the next.
        await table.workers.asked.wait()
        await eventually { await talk.waitingPrompts == number }
      }
      gate.fire()
      try await group.waitForAll()
    }
    let words = try await table.words()
    #expect(words == (0..<5).flatMap { ["prompt: \($0)", "response: prompt: \($0)"] })
  }

  @Test func `Too many prompts are refused, and the others are answered`() async throws {
    let gate = Signal()
    let table = try Table(["a": Self.echoing(after: gate)])
    let talk = try await table.talk
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0...TurnQueue.maximum { group.addTask { try await table.say("\(number)") } }
      await eventually { await talk.waitingPrompts == TurnQueue.maximum }
      await #expect(throws: ConversationError.tooManyWaiting(TurnQueue.maximum)) {
        try await table.say("one too many")
      }
      gate.fire()
      try await group.waitForAll()
    }
    #expect(try await table.words().count == 2 * (TurnQueue.maximum + 1))
  }

  @Test func `Two who open a conversation at the same time find the same one`() async throws {
    let table = try Table(["a": answering("hello")])
    async let first = table.talk
    async let second = table.talk
    let (one, other) = try await (first, second)
    #expect(one === other)
  }

  @Test func `Without agents there is no conversation`() async throws {
    let table = try Table([:])
    await #expect(throws: ConversationError.noAgents) { try await table.talk }
  }
}
