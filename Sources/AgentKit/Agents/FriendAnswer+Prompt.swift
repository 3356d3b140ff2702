extension FriendAnswer {
  /// The prompt for the model that asked: a complete answer verbatim, anything less with the
  /// reason.
  func prompt(from agent: String, for tool: String) -> Prompt {
    var notice: ToolCallNotice
    switch (exit, text) {
    case (.answered, let text?), (.modeChanged, let text?), (.finalAnswer, let text?):
      return Prompt(text)
    case (.cap(Transcript.Response.repetition), _):
      let reason = "\(agent) was stopped: \(exit)."
      notice = ToolCallNotice(status: .incomplete, tool: tool, reason: reason)
      notice.answer = text
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
    case (.contextSizeExceeded, _), (.refused, _), (.cancelled, _), (_, nil):
      let reason = "\(agent) could not answer: \(exit)"
      notice = ToolCallNotice(status: .failed, tool: tool, reason: reason)
    }
    return Prompt(segments: [notice.segment])
  }
}
