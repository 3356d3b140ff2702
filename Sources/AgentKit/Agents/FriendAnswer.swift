/// What came of phoning a friend.
///
/// A failure is information for the model, not a fault.
package struct FriendAnswer: Sendable, Equatable, Codable {
  /// What it said; `nil` when it came to no answer.
  package var text: String?
  /// Why its turn ended.
  package var exit: TurnExit
  /// What it read, with the friends that it phoned itself.
  package var input: LanguageModelSession.Usage.Input
  /// What it wrote, with the friends that it phoned itself.
  package var output: LanguageModelSession.Usage.Output

  package init(
    _ text: String?,
    exit: TurnExit,
    usage: LanguageModelSession.Usage = LanguageModelSession.Usage()
  ) {
    self.text = text
    self.exit = exit
    input = usage.input
    output = usage.output
  }

  package static func answered(_ text: String) -> FriendAnswer {
    FriendAnswer(text, exit: .answered)
  }

  package static func failed(_ problem: String) -> FriendAnswer {
    FriendAnswer(nil, exit: .failed(problem))
  }

  package var usage: LanguageModelSession.Usage { .init(input: input, output: output) }
}

extension FriendAnswer {
  /// What the model reads that had the friend asked: a whole answer as it is, and what is less than
  /// that with the reason.
  func prompt(from agent: String, for tool: String) -> Prompt {
    var notice: ToolCallNotice
    switch (exit, text) {
    case (.answered, let text?), (.modeChanged, let text?), (.finalAnswer, let text?):
      return Prompt(text)
    case (.cap(let cap), let text?):
      let reason = "\(agent) stopped at the cap on \(cap). Its answer may not be whole."
      notice = ToolCallNotice(status: .incomplete, tool: tool, reason: reason)
      notice.answer = text
    case (.cap(let cap), nil):
      let reason = "\(agent) could not answer: the cap on \(cap) is reached."
      notice = ToolCallNotice(status: .capReached, tool: tool, reason: reason)
    case (.failed(let problem), _):
      let reason = "\(agent) could not answer: \(problem)"
      notice = ToolCallNotice(status: .failed, tool: tool, reason: reason)
    case (.refused, _), (.cancelled, _), (_, nil):
      let reason = "\(agent) could not answer: \(exit)"
      notice = ToolCallNotice(status: .failed, tool: tool, reason: reason)
    }
    return Prompt(segments: [notice.segment])
  }
}
