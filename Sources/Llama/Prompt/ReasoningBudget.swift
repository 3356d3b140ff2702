package import AgentKit

/// How long a model is to think before it answers.
///
/// Some chat templates tell their model how hard to think and are given the level's name. The
/// others can only turn thinking on or off; for them a level is a token limit, and when it is
/// reached, the end of thinking is written for the model.
package struct ReasoningBudget: Sendable, Equatable {
  /// Names for the level, best first, because each template knows only a few.
  let efforts: [String]
  /// The token limit where the template knows no levels; `nil` for none.
  let budget: Int32?
  /// Whether nothing but the name will do.
  let isByName: Bool

  package init(_ level: ContextOptions.ReasoningLevel) {
    switch level {
    case .light: self.init(efforts: ["low"], budget: 512)
    case .moderate: self.init(efforts: ["medium", "high"], budget: 2048)
    case .deep: self.init(efforts: ["high"], budget: nil)
    case .custom(let name): self.init(efforts: [name], budget: nil, isByName: true)
    }
  }

  private init(efforts: [String], budget: Int32?, isByName: Bool = false) {
    self.efforts = efforts
    self.budget = budget
    self.isByName = isByName
  }
}

extension ChatTemplates {
  /// Renders a conversation for a model that is to think as long as `thinking` says.
  func render(
    _ request: RenderingRequest,
    thinking: ReasoningBudget?
  ) throws(LlamaError) -> ChatRendering {
    guard let thinking else { return try render(request) }
    return try adapted(request, to: thinking).rendering
  }

  /// Renders the conversation of a request that requires no call.
  func render(
    _ conversation: RenderingRequest,
    of request: GenerationRequest
  ) throws(LlamaError) -> ChatRendering {
    guard request.skipsThinking else {
      return try render(conversation, thinking: request.thinking)
    }
    return try renderSilently(conversation, thinking: request.thinking)
  }

  /// Renders a conversation for a model that is to answer or call at once, although at other times
  /// it thinks as long as `thinking` says.
  ///
  /// What precedes the answer is the same as at those times, so that what was computed of it stays
  /// usable. Thinking is turned off where only the beginning of the answer says so; some templates
  /// say it before the instructions, and there it must be ended otherwise.
  func renderSilently(
    _ request: RenderingRequest,
    thinking: ReasoningBudget?
  ) throws(LlamaError) -> ChatRendering {
    guard let thinking else { return try render(request) }
    let (wanted, open) = try adapted(request, to: thinking)
    var silenced = wanted
    silenced.isThinking = false
    guard let silent = try? render(silenced),
      silent.prompt.utf8.starts(with: open.promptBeforeAnswer)
    else { return open }
    return silent
  }

  /// Returns a request for a model that is to think as long as `thinking` says, with its rendering.
  private func adapted(
    _ request: RenderingRequest,
    to thinking: ReasoningBudget
  ) throws(LlamaError) -> (request: RenderingRequest, rendering: ChatRendering) {
    var request = request
    request.isThinking = true
    guard knowsEfforts else {
      if thinking.isByName { throw .unknownReasoningLevel(level: thinking.efforts[0]) }
      return (request, try render(request))
    }
    for effort in thinking.efforts {
      request.effort = effort
      if let rendering = try? render(request) { return (request, rendering) }
    }
    // Either no name is known, or something else is wrong with the request.
    request.effort = nil
    let rendering = try render(request)
    if thinking.isByName { throw .unknownReasoningLevel(level: thinking.efforts[0]) }
    return (request, rendering)
  }
}

extension ChatRendering {
  /// The prompt without the end that belongs to the answer.
  fileprivate var promptBeforeAnswer: Substring.UTF8View {
    let beginning = generationPrompt.utf8
    let isEnd = prompt.utf8.suffix(beginning.count).elementsEqual(beginning)
    return prompt.utf8.dropLast(isEnd ? beginning.count : 0)
  }
}
