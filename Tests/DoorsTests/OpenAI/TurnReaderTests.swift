import Coordination
import Foundation
import Hummingbird
import Testing
import Transcripts

@testable import Doors

@Suite struct `What a client is told of a turn` {
  static func summary(
    _ exit: TurnExit = .answered,
    answer: String? = "Hello.",
    usage: RequestUsage = RequestUsage(tokensIn: 1072, tokensCached: 1000, tokensOut: 39)
  ) -> TurnEvent {
    .ended(
      TurnSummary(
        turn: 7,
        exit: exit,
        holder: "clerk",
        answer: answer,
        usage: usage,
        seconds: 1
      )
    )
  }

  private func parts(_ events: TurnEvent...) -> [AnswerPart] {
    var reader = TurnReader()
    return events.flatMap { reader.read($0) }
  }

  private func reason(_ exit: TurnExit, answer: String?) -> AnswerEnd.Reason? {
    guard case .ended(let end) = parts(Self.summary(exit, answer: answer)).last else { return nil }
    return end.reason
  }

  @Test func `is what was said, thought and done, each once`() {
    let grown = TextChange(entryID: "e", isReasoning: false, keptBytes: 0, added: "Hel")
    let thought = TextChange(entryID: "r", isReasoning: true, keptBytes: 0, added: "Hm")
    let parts = parts(
      .accepted(turn: 7, conversation: "talk"),
      .text(agent: "clerk", thought),
      .reasoned(agent: "clerk", text: "Hm."),
      .said(agent: "clerk", text: "Wait."),
      .toolCall(id: "c", agent: "clerk", tool: "find", arguments: "{}"),
      .toolOutput(id: "c", agent: "clerk", tool: "find", text: "it"),
      .batonPassed(from: "clerk", to: "coach"),
      .text(agent: "coach", grown),
      .answered(agent: "coach", text: "Hello.")
    )
    #expect(
      parts == [
        .begun(turn: 7), .reasoning("Hm"), .reasoning("."), .text("Wait."),
        .message(isAnswer: false), .call(id: "c", tool: "find", arguments: "{}"),
        .output(id: "c", tool: "find", text: "it"), .note("baton: clerk → coach"), .text("Hel"),
        .text("lo."), .message(isAnswer: true),
      ]
    )
  }

  @Test func `leaves out the earlier turn that a new prompt ends first`() {
    var reader = TurnReader(awaitsAcceptance: true)
    let earlier: [TurnEvent] = [
      .resumed(turn: 6, conversation: "talk", prompt: "z"), .trouble("It was interrupted."),
      .answered(agent: "clerk", text: "Old."), Self.summary(answer: "Old."),
    ]
    #expect(earlier.flatMap { reader.read($0) } == [])
    #expect(reader.awaitsAcceptance)
    #expect(reader.read(.accepted(turn: 7, conversation: "talk")) == [.begun(turn: 7)])
    #expect(reader.read(.trouble("Late.")) == [.note("Late.")])
  }

  @Test func `says nothing while it waits for a core or for memory`() {
    #expect(parts(.coreAwaited(agent: "clerk", place: 1, cores: 2)) == [])
  }

  @Test func `has the answer of a tool that ended the turn`() {
    let parts = parts(Self.summary(.finalAnswer, answer: "42"))
    #expect(parts.prefix(2) == [.text("42"), .message(isAnswer: true)])
  }

  @Test func `ends as the turn did`() {
    #expect(reason(.answered, answer: "a") == .answered)
    #expect(reason(.modeChanged, answer: "a") == .answered)
    #expect(reason(.cap("tokens"), answer: "a") == .length)
    #expect(reason(.cap("contextSize"), answer: nil) == .length)
    // The policy of the cap was to answer.
    #expect(reason(.cap("rounds"), answer: "a") == .answered)
    #expect(reason(.refused("no"), answer: nil) == .refused("no"))
    #expect(reason(.cancelled, answer: nil) == .cancelled)
    guard case .failed(let error) = reason(.contextSizeExceeded("9 of 4"), answer: nil) else {
      Issue.record("A context that is too long is no error")
      return
    }
    #expect((error.status, error.code) == (400, "context_length_exceeded"))
    for (exit, code) in [
      (TurnExit.failed("lost"), "turn_failed"), (.cap("rounds"), "turn_capped"),
    ] {
      guard case .failed(let error) = reason(exit, answer: nil) else {
        Issue.record("\(exit) is no error")
        continue
      }
      #expect(error.code == code)
      #expect(error.status == 500)
      // A client that tried again would run the effects of the turn twice.
      #expect(error.headers[.shouldRetry] == "false")
    }
  }

  @Test func `is on one line, without what would change how the line is shown`() {
    let text = "a\nb\t\u{1B}[2Jc\u{202E}d\u{2028}e"
    #expect(Excerpt.line(text, limit: 100) == "a / b \u{FFFD}[2Jc\u{FFFD}d / e")
    #expect(Excerpt.line("abcdef", limit: 3) == "abc…")
  }
}
