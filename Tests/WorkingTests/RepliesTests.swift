import AgentKit
import Testing

@testable import Working

@Suite(.timeLimit(.minutes(5))) struct `A question to the coordinator` {
  private static let question = Replies.Question.friend(callID: "c")
  private static let reply = Reply.friend(.answered("The Boat"))

  @Test func `that is asked while the same waits is refused, and the first has its answer`() async {
    let replies = Replies()
    let ends = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 { group.addTask { await Self.isAnswered(by: replies) } }
      // The second to ask ends first, because nobody has answered yet.
      let second = await group.next()
      replies.answer(Self.question, Self.reply, in: 1)
      return [second, await group.next()]
    }
    #expect(ends == [false, true])
  }

  @Test func `that is asked while the same waits leaves it to be cancelled`() async throws {
    let replies = Replies()
    try replies.ask(Self.question, turn: 1) {}
    #expect(throws: AskedTwice.self) { try replies.ask(Self.question, turn: 1) {} }
    let first = Task { try await replies.awaitAnswer(to: Self.question) }
    replies.cancel(turn: 1)
    await #expect(throws: CancellationError.self) { _ = try await first.value }
  }

  @Test func `takes no answer that follows the cancellation of its turn`() async throws {
    let replies = Replies()
    try replies.ask(Self.question, turn: 1) {}
    replies.close(turn: 1)
    replies.answer(Self.question, Self.reply, in: 1)
    try replies.say(in: 1) { Issue.record("a cancelled turn says nothing") }
    replies.cancel(turn: 1)
    await #expect(throws: CancellationError.self) {
      _ = try await replies.awaitAnswer(to: Self.question)
    }
  }

  @Test func `can be asked again when it was answered`() async throws {
    let replies = Replies()
    for answer in ["The Boat", "The Crane"] {
      try replies.ask(Self.question, turn: 1) {
        replies.answer(Self.question, .friend(.answered(answer)), in: 1)
      }
      guard case .friend(let heard) = try await replies.awaitAnswer(to: Self.question) else {
        Issue.record("it is no friend's answer")
        return
      }
      #expect(heard.text == answer)
    }
  }

  @Test func `of a turn that is over keeps the next one from nothing`() async throws {
    let replies = Replies()
    try replies.ask(Self.question, turn: 1) {}
    try replies.ask(Self.question, turn: 2) {
      replies.answer(Self.question, Self.reply, in: 2)
    }
    #expect(throws: CancellationError.self) { try replies.ask(.admission, turn: 1) {} }
    guard case .friend = try await replies.awaitAnswer(to: Self.question) else {
      Issue.record("it is no friend's answer")
      return
    }
  }

  @Test func `of a turn that was cancelled and is over takes no answer of the next`() async throws {
    let replies = Replies()
    try replies.ask(Self.question, turn: 1) {}
    replies.cancel(turn: 1)
    try replies.ask(Self.question, turn: 2) {}
    await #expect(throws: CancellationError.self) {
      _ = try await replies.wait(for: Self.question, turn: 1) {}
    }
    replies.answer(Self.question, Self.reply, in: 2)
    guard case .friend = try await replies.awaitAnswer(to: Self.question) else {
      Issue.record("it is no friend's answer")
      return
    }
  }

  @Test func `that is refused says what a tool may do`() {
    let words = String(reflecting: AskedTwice(question: Self.question))
    #expect(words.contains("only one friend on the phone at a time"))
  }

  private static func isAnswered(by replies: Replies) async -> Bool {
    do {
      _ = try await replies.wait(for: question, turn: 1) {}
      return true
    } catch {
      return false
    }
  }
}
